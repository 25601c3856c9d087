import { outputText } from './clip-results.ts';
import type { Log } from './log.ts';
import { providerCallId } from './model.ts';
import { messageText } from './shown-files.ts';
import { messageId, parseTextId } from './text-id.ts';
import { taskText } from './view.ts';

/** Returns the whole text of a result or a message of a run, by the id that the model knows it by. */
export function textById(log: Log, id: string): string | undefined {
  const found = parseTextId(id);
  if (!found || found.file !== undefined) return undefined;
  return found.kind === 'call' ? resultText(log, found) : textOfMessage(log, found);
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
    return result && outputText(result.output, providerCallId(seq, index));
  }
  return undefined;
}

function textOfMessage(log: Log, { seq, index }: Place): string | undefined {
  const record = log[seq - 1];
  if (record?.type === 'task') return index === 0 ? taskText(record) : undefined;
  const message = record?.type === 'user' ? record.messages[index] : undefined;
  return message && messageText(message, messageId(seq, index));
}
