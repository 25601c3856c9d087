import { type FileRef, fileWords, MAX_FILES } from './file.ts';
import { keptCharacters, MOST_FILE_TEXTS } from './file-text.ts';
import type { LineageEffect } from './lineage.ts';
import type { Log } from './log.ts';
import { planOf, planText } from './plan.ts';

/** The longest that an argument list or an output is told, characters. */
const MAX_SHOWN = 400;
/** The most effects that are told one by one, the newest ones. */
const MAX_EFFECTS = 200;
/** The most that is told of messages, characters. */
const MAX_MESSAGES = 100_000;

/** What was said to a run, and what came with it. */
interface Said {
  readonly text: string;
  readonly files?: readonly FileRef[] | undefined;
}

/**
 * What a run that starts another over is told of it, and of those that this one started over (`logs`, oldest first): how it
 * ended, the plan, what people said, what was done, what is open.
 */
export function restartFacts(runId: string, logs: readonly Log[], effects: readonly LineageEffect[], unread: readonly Said[] = []): string {
  const plan = logs.map((log) => planOf(log)).findLast((each) => each !== undefined);
  const said = saidTo(logs, unread);
  return [
    `This work was begun before, in run ${runId}, and is started over here. ${howItEnded(logs.at(-1) ?? [])}`,
    ...(plan ? [`Its plan was:\n${planText(plan)}`] : []),
    ...(said.length > 0 ? [`It was told, in this order:\n${clipped(said.map(quoted).join('\n'), MAX_MESSAGES)}`] : []),
    ...listed(DONE, effects, 'done'),
    ...listed(OPEN, effects, 'open'),
    ...(effects.length > 0 ? [] : ['Nothing was changed outside.']),
  ].join('\n\n');
}

/**
 * The files that came with what people said to the runs before, each once: the newest of them, as many as one message may have.
 * Those whose texts would make the record too large stand without their texts.
 */
export function restartFiles(logs: readonly Log[], unread: readonly Said[] = []): FileRef[] {
  const files = saidTo(logs, unread).flatMap((message) => message.files ?? []);
  const newest = [...new Map(files.toReversed().map((file) => [file.sha256, file])).values()].slice(0, MAX_FILES);
  let room = MOST_FILE_TEXTS;
  return newest
    .map(({ text, ...file }) => {
      room -= keptCharacters(text);
      return text && room >= 0 ? { ...file, text } : file;
    })
    .toReversed();
}

const saidTo = (logs: readonly Log[], unread: readonly Said[]): Said[] => [
  ...logs.flat().flatMap((record) => (record.type === 'user' ? record.messages : [])),
  ...unread,
];

const DONE = 'What it did, which stands. The same call with the same arguments is answered with what is known of it, and not made again:';
const OPEN = 'What it began, and of which nobody knows whether it was done. The same call with the same arguments finds that out first:';

function howItEnded(log: Log): string {
  const end = log.findLast((record) => record.type === 'end');
  return end?.type === 'end' ? `It is ${end.status} (${end.reason}).` : '';
}

function listed(heading: string, effects: readonly LineageEffect[], state: LineageEffect['state']): string[] {
  const all = effects.filter((effect) => effect.state === state);
  if (all.length === 0) return [];
  const left = all.length > MAX_EFFECTS ? [`(and ${all.length - MAX_EFFECTS} before these)`] : [];
  return [[heading, ...left, ...all.slice(-MAX_EFFECTS).map(line)].join('\n')];
}

function line({ tool, input, instead, state, output }: LineageEffect): string {
  const edited = instead === undefined ? '' : ` (a person put this in place of ${shown(instead)})`;
  return `- ${tool} ${shown(input)}${edited}${state === 'done' ? ` -> ${shown(output)}` : ''}`;
}

const shown = (value: unknown): string => clipped(JSON.stringify(value), MAX_SHOWN);
const quoted = ({ text, files = [] }: Said): string => `- ${text}${files.length > 0 ? ` (with ${files.map(fileWords).join('; ')})` : ''}`;
const clipped = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}...` : text).toWellFormed();
