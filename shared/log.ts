import type { Json } from './json.ts';
import type { Ask, Call, Edit, Reply, Result, Results, RunRecord } from './record.ts';
import { runningFold } from './running-fold.ts';
import { type Answered, answersOf, standings } from './standing.ts';

/** A run's records in order. Questions to it are here; each scans from the end and stops as soon as it can. */
export type Log = readonly RunRecord[];

/** Returns the reply whose calls still lack their results. */
export function openReply(log: Log): Reply | undefined {
  for (let i = log.length - 1; i >= 0; i--) {
    const record = log[i] as RunRecord;
    if (record.type === 'reply') return record.calls.length > 0 ? record : undefined;
    if (record.type !== 'ask' && record.type !== 'answer') return undefined;
  }
  return undefined;
}

/** Returns the newest record of a type. */
export function latest<T extends RunRecord['type']>(log: Log, type: T): Extract<RunRecord, { type: T }> | undefined {
  return log.findLast((record): record is Extract<RunRecord, { type: T }> => record.type === type);
}

/** Returns what settled the questions asked about one call of a reply, oldest first. */
export function answersTo(log: Log, reply: Reply, index: number): Answered[] {
  const asks = log.slice(reply.seq).filter((record): record is Ask => record.type === 'ask' && record.reply === reply.seq);
  return asks
    .flatMap((ask) => standings(ask, answersOf(log, ask)))
    .flatMap(({ question, settled }) => (settled && question.index === index ? [settled] : []));
}

/** The arguments that people put in place of the model's own, by the index of the call, and who did. */
export function editsOf(log: Log, reply: Reply): Map<number, { readonly by: string; readonly edit: Edit }> {
  const edits = new Map<number, { by: string; edit: Edit }>();
  for (let record = log[reply.seq]; record && record.type !== 'results'; record = log[record.seq]) {
    if (record.type === 'answer') for (const { index = -1, edit } of record.answers) if (edit) edits.set(index, { by: record.by, edit });
  }
  return edits;
}

/** Returns a reply's calls as they run: with the arguments that people put in place of the model's. */
export function callsAsRun(log: Log, reply: Reply): Call[] {
  const edits = editsOf(log, reply);
  return reply.calls.map((call) => withEdit(call, edits.get(call.index)?.edit));
}

/** A business key of other arguments is none of these, and neither are their secrets. */
function withEdit(call: Call, edit: Edit | undefined): Call {
  if (!edit) return call;
  const { businessKey: _, secrets: __, ...rest } = call;
  return { ...rest, ...edit };
}

/** Returns the tries spent on equal calls (same tool, same arguments) that failed in the turn just before the reply, else 0. */
export function failedJustBefore(log: Log, reply: Reply, call: Call): number {
  const before = turnBefore(log, reply.seq);
  const same = before && callsAsRun(log, before.reply).find((earlier) => earlier.inputHash === call.inputHash);
  const result = same && before?.results.results[same.index];
  return result && !result.ok ? result.attempts : 0;
}

/** Returns the last reply and results before a seq, when that turn's results stand just before it but for messages. */
function turnBefore(log: Log, seq: number): { reply: Reply; results: Results } | undefined {
  let results: Results | undefined;
  for (let i = seq - 2; i >= 0; i--) {
    const record = log[i] as RunRecord;
    if (record.type === 'results') results = record;
    else if (record.type === 'reply') return results?.reply === record.seq ? { reply: record, results } : undefined;
    else if (record.type === 'task' || record.type === 'end') return undefined;
  }
  return undefined;
}

/** An effect of earlier equal calls that is done, or whose outcome is open. */
export interface EarlierCall {
  /** The call that first began it: its seq and index make the effect key. */
  readonly seq: number;
  readonly index: number;
  /** The newest result that speaks of it. */
  readonly result: Result;
}

/**
 * Returns the effect of earlier equal calls that matters to a call: one whose outcome is open, else the newest that is
 * done. Where several are open, the equal calls of the reply take one each, in order.
 */
export function earlierEffect(log: Log, reply: Reply, call: Call): EarlierCall | undefined {
  const effects = effectsBefore(log, reply.seq, call.inputHash);
  return openAmong(effects)[placeIn(reply, call)] ?? effects.find(({ result }) => result.effect?.state === 'done');
}

/** Counts the effects of earlier equal calls whose outcome is open. */
export const openEffects = (log: Log, reply: Reply, { inputHash }: Call): number =>
  openAmong(effectsBefore(log, reply.seq, inputHash)).length;

/** Counts the effects of earlier equal calls that are done. */
export const committedEqual = (log: Log, reply: Reply, { inputHash }: Call): number =>
  effectsBefore(log, reply.seq, inputHash).filter(({ result }) => result.effect?.state === 'done').length;

const openAmong = (effects: EarlierCall[]) => effects.filter(({ result }) => result.effect?.state === 'unknown').reverse();

/** Counts the equal calls of its reply that stand before a call, and may run. */
export const placeIn = ({ calls }: Reply, { index, inputHash }: Call): number =>
  calls.filter((each) => each.index < index && each.inputHash === inputHash && each.invalid === undefined).length;

/** Lists the effects of equal calls before a seq, newest first: each key once, with its first call and its newest result. */
function effectsBefore(log: Log, seq: number, inputHash: string): EarlierCall[] {
  const effects = new Map<string, EarlierCall>();
  for (const { call, answeredAt } of (askedEffects(log).byHash.get(inputHash) ?? []).toReversed()) {
    const { effect } = call.result;
    if (effect && answeredAt < seq) effects.set(effect.key, { ...call, result: effects.get(effect.key)?.result ?? call.result });
  }
  return [...effects.values()];
}

/** Every effect with the call that asked for it, by input hash, oldest first; `answeredAt` is the seq of its results. */
const askedEffects = runningFold(
  () => ({ hashes: [] as string[], byHash: new Map<string, { call: EarlierCall; answeredAt: number }[]>() }),
  (known, record) => {
    const { hashes, byHash } = known;
    if (record.type === 'reply') known.hashes = record.calls.map(({ inputHash }) => inputHash);
    if (record.type === 'answer') for (const { index = -1, edit } of record.answers) if (edit) hashes[index] = edit.inputHash;
    if (record.type !== 'results') return;
    known.hashes = [];
    for (const [index, inputHash] of hashes.entries()) {
      const result = record.results[index];
      if (!result?.effect) continue;
      if (!byHash.has(inputHash)) byHash.set(inputHash, []);
      byHash.get(inputHash)?.push({ call: { seq: record.reply, index, result }, answeredAt: record.seq });
    }
  },
);

/** Lists the calls of a tool whose effect is done, oldest first, with the arguments they ran with. */
export function doneCalls(log: Log, tool: string): { readonly input: Json; readonly output: Json }[] {
  return log.flatMap((record) => {
    const reply = record.type === 'results' ? log[record.reply - 1] : undefined;
    if (record.type !== 'results' || reply?.type !== 'reply') return [];
    const done = record.results.filter(({ index, effect }) => effect?.state === 'done' && reply.calls[index]?.tool === tool);
    return done.map(({ index, output, edited }) => ({ input: edited?.input ?? reply.calls[index]?.input ?? null, output }));
  });
}

/** Counts the replies at the end of the log that were empty or cut off, with no good reply and no message between them. */
export function badRepliesInARow(log: Log): number {
  let bad = 0;
  for (let i = log.length - 1; i >= 0; i--) {
    const record = log[i] as RunRecord;
    if (record.type === 'results' || record.type === 'ask' || record.type === 'answer') continue;
    if (record.type !== 'reply' || !isBad(record)) break;
    bad++;
  }
  return bad;
}

/** Tells whether a reply is of no use as it is: cut off, or without text and calls. */
export const isBad = (reply: Reply): boolean => reply.finish === 'cut' || isEmpty(reply);

/** Tells whether a reply says nothing: no calls, and only blank text or text that announces calls. */
export const isEmpty = (reply: Reply): boolean => reply.calls.length === 0 && (reply.text.trim() === '' || reply.finish === 'calls');

/** Returns the ids of the inbox messages that are in the log. */
export function takenMessages(log: Log): Set<string> {
  return new Set(log.flatMap((record) => (record.type === 'user' ? record.messages.map(({ id }) => id) : [])));
}

/** Returns the last text that the model said, or ''. */
export function lastText(log: Log): string {
  const said = log.findLast((record) => record.type === 'reply' && record.text.trim() !== '');
  return said?.type === 'reply' ? said.text : '';
}
