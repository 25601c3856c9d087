import { type FileRef, filesIn } from './file.ts';
import type { RunRecord } from './record.ts';

/** Lists the files that a record names, in the order of its text. */
export function filesOf(record: RunRecord): FileRef[] {
  switch (record.type) {
    case 'task':
      return [...filesIn(record.input), ...(record.files ?? [])];
    case 'user':
      return record.messages.flatMap(({ files = [] }) => files);
    case 'results':
      return record.results.flatMap(({ output }) => filesIn(output));
    case 'answer':
      return record.answers.flatMap(({ output = null }) => filesIn(output));
    case 'reply':
    case 'ask':
    case 'end':
      return [];
  }
}
