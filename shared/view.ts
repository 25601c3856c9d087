import type { Json } from './json.ts';
import { isEmpty, type Log } from './log.ts';
import type { ViewMessage } from './model.ts';
import type { Answer, Reply, Task } from './record.ts';

/**
 * What of the log the model is shown: the task, messages, replies that say something, and each reply's results right
 * after it. A reply whose results are not there yet is left out with all that follows it.
 */
export function view(log: Log): ViewMessage[] {
  const messages: ViewMessage[] = [];
  let open: Reply | undefined;
  for (const record of log) {
    if (record.type === 'task') messages.push({ role: 'user', text: taskText(record) });
    else if (record.type === 'user')
      messages.push(...record.messages.filter(({ text }) => text.trim()).map(({ text }) => ({ role: 'user', text }) as const));
    else if (record.type === 'answer') messages.push(...toldToFinish(record));
    else if (record.type === 'reply' && record.calls.length > 0) open = record;
    else if (record.type === 'reply' && !isEmpty(record)) messages.push({ role: 'assistant', reply: record });
    else if (record.type === 'results' && open?.seq === record.reply) {
      messages.push({ role: 'assistant', reply: open }, { role: 'tool', reply: open, results: record.results });
      open = undefined;
    }
  }
  return messages;
}

/** The task as the model is told of it: with what was done before, where another run is started over. */
export const taskText = ({ input, facts }: Pick<Task, 'input' | 'facts'>): string =>
  facts === undefined ? asText(input) : `${asText(input)}\n\n${facts}`;

/** What the model is told when a budget is used up and somebody has the run finish up. */
export const FINISH_UP =
  'The budget of this run is used up, and this is its last turn. Finish now, without calling any tool: say what was done, what was not, and what you found.';

function toldToFinish({ answers }: Answer): ViewMessage[] {
  const told = answers.find(({ decision }) => decision === 'finish');
  return told ? [{ role: 'user', text: [FINISH_UP, told.comment ?? ''].join('\n').trim() }] : [];
}

/** The text by which a JSON value is shown: strings as they are. */
export const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 1));
