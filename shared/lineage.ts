import type { Json } from './json.ts';
import { callsAsRun, isBad, type Log, openEffects, placeIn } from './log.ts';
import type { Call, Reply, Result } from './record.ts';
import { parseEffectKey } from './tables.ts';

/** An effect of an ancestor that may not be repeated: it took place, or nobody knows yet whether it did. */
export interface LineageEffect {
  /** The run whose call first began it, and that call. */
  readonly runId: string;
  readonly seq: number;
  readonly index: number;
  readonly key: string;
  readonly tool: string;
  readonly input: Json;
  /** What the model had called for, where a person put other arguments in its place. */
  readonly instead?: Json;
  readonly inputHash: string;
  readonly state: 'done' | 'open';
  readonly ok: boolean;
  /** What is known of its outcome. */
  readonly output: Json;
}

/** A run that came before, with all that is stored of its effects. */
export interface Ancestor {
  readonly runId: string;
  readonly log: Log;
  /** Its entries in the ledger: an effect may have been begun, and even done, without a word in the log. */
  readonly entries: readonly LedgerEntry[];
}

/** What of a ledger entry says whether its effect may be repeated. */
export interface LedgerEntry extends Pick<Call, 'tool' | 'class' | 'inputHash'> {
  readonly key: string;
  readonly state: 'started' | 'pending' | 'done' | 'failed' | 'unknown';
  readonly ok?: boolean | undefined;
  readonly output?: Json | undefined;
  readonly error?: string | undefined;
}

type Found = Omit<LineageEffect, 'state'> & { readonly state: 'done' | 'open' | 'not' };

/** Lists the effects of a run that took place or may have, oldest first: each key once, with the newest that is known of it. */
export function effectsOf(ancestor: Ancestor): LineageEffect[] {
  const found = new Map<string, Found>();
  for (const each of [...fromLog(ancestor), ...fromLedger(ancestor)]) {
    const known = found.get(each.key);
    // What the log has as done or not stands: an entry may lag behind a person's word.
    if (each.byEntry && known && known.state !== 'open') continue;
    found.set(each.key, { ...each.effect, ...(known ? { seq: known.seq, index: known.index } : {}) });
  }
  return [...found.values()].filter(isLive).sort((a, b) => a.seq - b.seq || a.index - b.index);
}

const isLive = (effect: Found): effect is LineageEffect => effect.state !== 'not';

interface Sighting {
  readonly key: string;
  readonly effect: Found;
  readonly byEntry: boolean;
}

function fromLog({ runId, log }: Ancestor): Sighting[] {
  return log.flatMap((record) => {
    const reply = record.type === 'results' ? log[record.reply - 1] : undefined;
    if (record.type !== 'results' || reply?.type !== 'reply') return [];
    const calls = callsAsRun(log, reply);
    return record.results.flatMap((result) => sighted(runId, reply, calls[result.index], result));
  });
}

function sighted(runId: string, reply: Reply, call: Call | undefined, { effect, ok, output }: Result): Sighting[] {
  if (!call || !effect) return [];
  const { seq } = reply;
  const state = effect.state === 'done' ? 'done' : effect.state === 'unknown' ? 'open' : 'not';
  const { index, tool, input, inputHash } = call;
  const found = { runId, seq, index, key: effect.key, tool, input, ...insteadOf(reply, call), inputHash, state, ok, output } as const;
  return [{ key: effect.key, byEntry: false, effect: found }];
}

function insteadOf({ calls }: Reply, { index, inputHash }: Call): Pick<LineageEffect, 'instead'> {
  const made = calls[index];
  return made === undefined || made.inputHash === inputHash ? {} : { instead: made.input };
}

function fromLedger({ runId, log, entries }: Ancestor): Sighting[] {
  return entries.flatMap((entry) => {
    const at = parseEffectKey(entry.key);
    if (!at || entry.class === 'read') return [];
    const reply = log[at.seq - 1];
    const call = reply?.type === 'reply' ? callsAsRun(log, reply)[at.index] : undefined;
    const { key, tool, inputHash, ok = false, output = entry.error ?? null } = entry;
    const state = entry.state === 'done' ? 'done' : entry.state === 'failed' ? 'not' : 'open';
    const { seq, index } = at;
    const given = call && reply?.type === 'reply' ? { input: call.input, ...insteadOf(reply, call) } : { input: null };
    const effect = { runId, seq, index, key, tool, ...given, inputHash, state, ok, output } as const;
    return [{ key, byEntry: true, effect }];
  });
}

/**
 * The lineage's ledger of a run: the effects of its ancestors (oldest first) that its own log does not speak of. What is in
 * its log it knows by itself.
 */
export function lineageLedger(log: Log, ancestors: readonly (readonly LineageEffect[])[]): LineageEffect[] {
  const effects = new Map<string, LineageEffect>();
  for (const effect of ancestors.flat()) {
    const first = effects.get(effect.key);
    effects.set(effect.key, first ? { ...effect, runId: first.runId, seq: first.seq, index: first.index } : effect);
  }
  for (const record of log) if (record.type === 'results') for (const { effect } of record.results) effects.delete(effect?.key ?? '');
  return [...effects.values()];
}

/**
 * Says which effects of the lineage's ledger the calls of a reply meet, by the index of the call: the i-th equal call of the
 * run meets the i-th equal effect. What was met in earlier turns is in the log, and the run's own open effects come first.
 */
export function meetings(log: Log, reply: Reply, ledger: readonly LineageEffect[]): Map<number, LineageEffect> {
  const met = new Map<number, LineageEffect>();
  for (const call of reply.calls) {
    if (call.class === 'read' || call.invalid !== undefined) continue;
    const equal = ledger.filter(({ inputHash }) => inputHash === call.inputHash);
    const effect = equal[placeIn(reply, call) - openEffects(log, reply, call)];
    if (effect) met.set(call.index, effect);
  }
  return met;
}

/** The result of a call that is answered from the lineage's ledger. */
export const resultOf = ({ index }: Call, { key, ok, output }: LineageEffect): Result => ({
  index,
  ok,
  output,
  attempts: 0,
  effect: { key, state: 'done' },
  reused: true,
});

/**
 * Where a fork after the record `at` really branches off. What people said in an open turn, and an end, stay behind: the fork
 * asks anew.
 */
export function cutAt(log: Log, at: number): number {
  const left = log.slice(0, at).findLast(({ type }) => type !== 'ask' && type !== 'answer' && type !== 'end');
  return left?.seq ?? 1;
}

/** Tells whether nothing is left to do after a record: it is the last word of the model. */
export function isFinished(log: Log, at: number): boolean {
  const last = log[at - 1];
  return last?.type === 'reply' && last.calls.length === 0 && !isBad(last);
}
