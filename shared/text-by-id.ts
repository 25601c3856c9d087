import { outputText } from './clip-results.ts';
import type { Log } from './log.ts';
import { parseTextId } from './text-id.ts';
import { taskText } from './view.ts';

/** Returns the whole text of a result or a message of a run, by the id that the model knows it by. */
export function textById(log: Log, id: string): string | undefined {
  const found = parseTextId(id);
  if (!found) return undefined;
  return found.kind === 'call' ? resultText(log, found) : messageText(log, found);
}

interface Place {
  readonly seq: number;
  readonly index: number;
}

function resultText(log: Log, { seq, index }: Place): string | undefined {
  for (const record of log.slice(seq)) {
    if (record.type === 'reply') return undefined;
    if (record.type !== 'results' || record.reply !== seq) continue;
    const result = record.results.find((each) => each.index === index);
    return result && outputText(result.output);
  }
  return undefined;
}

function messageText(log: Log, { seq, index }: Place): string | undefined {
  const record = log[seq - 1];
  if (record?.type === 'task') return index === 0 ? taskText(record) : undefined;
  return record?.type === 'user' ? record.messages[index]?.text : undefined;
}
