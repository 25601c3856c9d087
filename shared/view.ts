import { clipTokens } from './clip.ts';
import { clipResults } from './clip-results.ts';
import { clipReply, shareOf } from './clip-texts.ts';
import type { FileRef } from './file.ts';
import { type FileText, keptCharacters } from './file-text.ts';
import type { Json } from './json.ts';
import { isEmpty, type Log } from './log.ts';
import type { ViewMessage } from './model.ts';
import type { Answer, Results, RunRecord, Task } from './record.ts';
import { filesOf } from './record-files.ts';
import { messageText, type TextFile, textFilesOf, withFiles, withNotes, withTexts } from './shown-files.ts';
import { messageId, readingNote } from './text-id.ts';
import { plainLength } from './tokens.ts';
import type { ModelOutput } from './tool.ts';
import type { ViewLimits } from './view-limits.ts';
import { summaryText, type ViewSummary } from './view-summary.ts';

/** How a log is shown: all of it, unless told otherwise. */
export interface Shown {
  readonly limits?: ViewLimits;
  /** Stands in place of the records up to its seq. */
  readonly summary?: Pick<ViewSummary, 'seq' | 'text' | 'facts'> | undefined;
  /** What of a tool's long outputs is shown. */
  readonly outputs?: (tool: string) => ModelOutput | undefined;
  /** Whether the agent has the tool that reads what is left out. */
  readonly canRead?: boolean;
}

/**
 * What of the log the model is shown: the task, the summary if there is one, and what came after it: messages, replies
 * that say something, and each reply's results right after it. A reply whose results are not there yet is left out.
 * Records before the summary are not looked at. The same log gives the same view, and a longer one begins with it.
 */
export function view(log: Log, shown: Shown = {}): ViewMessage[] {
  const from = shown.summary?.seq ?? 0;
  return [...openingOf(log, shown), ...log.slice(from).flatMap((record) => messagesOf(log, record, shown))];
}

/** With a summary: what stands before the records that are shown as they are, the task and the summary. */
export function openingOf(log: Log, shown: Shown): ViewMessage[] {
  const [task] = log;
  if (!shown.summary || !task) return [];
  return [...messagesOf(log, task, shown), { role: 'user', text: summaryText(shown.summary) }];
}

/** The messages of one record; those of a reply with calls come with its results. */
export function messagesOf(log: Log, record: RunRecord, shown: Shown): ViewMessage[] {
  switch (record.type) {
    case 'task':
      return said([{ text: taskText(record), files: filesOf(record) }], record.seq, shown);
    case 'user':
      return said(
        record.messages.map((message, index) => ({ ...message, text: messageText(message, messageId(record.seq, index)) })),
        record.seq,
        shown,
      );
    case 'reply':
      return record.calls.length > 0 || isEmpty(record) ? [] : [{ role: 'assistant', reply: clipReply(record, shown.limits) }];
    case 'results':
      return turnOf(log, record, shown);
    case 'answer':
      return toldToFinish(record);
    case 'ask':
    case 'end':
      return [];
  }
}

type Said = { readonly text: string; readonly files?: readonly FileRef[] | undefined };

/** Messages, each with its files: their texts, and those of the messages, share what one record may be shown with. */
function said(messages: readonly Said[], seq: number, { limits, canRead = false }: Shown): ViewMessage[] {
  const all = messages.map(({ text, files = [] }, index) => {
    const id = messageId(seq, index);
    return { id, text, files, texts: textFilesOf(files, id) };
  });
  const shown = clipExcerpts(
    all.flatMap(({ id, text, texts }) => [{ id, text: { characters: text.length, head: text } }, ...texts]),
    limits?.messageCharacters,
    canRead,
  );
  return all.flatMap(({ id, text: whole, files, texts }): ViewMessage[] => {
    const [text = '', ...ofFiles] = shown.splice(0, 1 + texts.length);
    if (!whole.trim() && seq !== 1) return [];
    return [{ role: 'user', text: withTexts(text, texts, ofFiles), ...(files.length > 0 ? { id, files } : {}) }];
  });
}

/** Texts as they are shown, each by its id, within `max` characters together. */
function clipExcerpts(excerpts: readonly TextFile[], max = Number.POSITIVE_INFINITY, canRead: boolean): string[] {
  const share = shareOf(
    excerpts.map(({ text }) => lengthWithin(text, max)),
    max,
  );
  return excerpts.map(({ id, text }) => clipTokens(text, share, canRead ? readingNote(id) : undefined));
}

/** Characters of plain text with as many tokens; a text of more characters than may be shown is not measured. */
function lengthWithin({ head, tail = '', ...text }: FileText, max: number): number {
  const characters = keptCharacters({ head, tail, ...text });
  return characters > max || max === Number.POSITIVE_INFINITY ? characters : plainLength(head) + plainLength(tail);
}

function turnOf(log: Log, { reply: seq, results }: Results, shown: Shown): ViewMessage[] {
  const made = log[seq - 1];
  if (made?.type !== 'reply') return [];
  const reply = clipReply(made, shown.limits);
  return [
    { role: 'assistant', reply },
    { role: 'tool', reply, results: withFiles(results, clipResults(made, results, shown)) },
  ];
}

/** The task as the model is told of it: with what was done before, where another run is started over. */
export const taskText = ({ input, facts }: Pick<Task, 'input' | 'facts'>): string => {
  const text = asText(input, messageId(1));
  return facts === undefined ? text : `${text}\n\n${facts}`;
};

/** What the model is told when a budget is used up and somebody has the run finish up. */
export const FINISH_UP =
  'The budget of this run is used up, and this is its last turn. Finish now, without calling any tool: say what was done, what was not, and what you found.';

function toldToFinish({ answers }: Answer): ViewMessage[] {
  const told = answers.find(({ decision }) => decision === 'finish');
  return told ? [{ role: 'user', text: [FINISH_UP, told.comment ?? ''].join('\n').trim() }] : [];
}

/** The text by which a JSON value is shown: strings as they are, and notes in the place of files. */
export const asText = (value: Json, of?: string): string =>
  typeof value === 'string' ? value : JSON.stringify(withNotes(value, of), undefined, 1);
