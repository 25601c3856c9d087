import { isDeepStrictEqual } from 'node:util';
import type { ShopTask } from '../../agents/tau-retail/data.ts';
import type { DeskReport } from '../../agents/tau-retail/shop/desk.ts';
import type { Json } from '../../shared/json.ts';
import type { Call, Result, RunRecord } from '../../shared/record.ts';
import { faultsOf } from '../crash/shape.ts';

/** What is wrong with what a run left behind. */
export interface Judgement {
  /** Calls that are not the task's, and outputs that are not the true ones. */
  readonly outputs: readonly string[];
  readonly rows: readonly string[];
  /** Effect keys whose effect was made, or attempted again, after it had been made. */
  readonly duplicates: readonly string[];
  /** Gaps and wrong pairs in the log, and effects that the log and the shop's journal do not both know. */
  readonly log: readonly string[];
}

/** Compares a run with the truth: every call and its output, the shop's rows, one effect under one key, a well-formed log. */
export function judge(task: ShopTask, records: readonly RunRecord[], journal: DeskReport): Judgement {
  const made = answered(records);
  return {
    outputs: wrongOutputs(task, made),
    rows: wrongRows(task, journal),
    duplicates: duplicatesIn(journal),
    log: [...faultsOf(records), ...unknownEffects(made, journal)],
  };
}

/** What is wrong with the calls of a run that starts another over: each is the task's, and each write has the true output. */
export function wrongWrites({ calls }: ShopTask, records: readonly RunRecord[]): string[] {
  const made = answered(records);
  const wrong = made.length === calls.length ? [] : [`it made ${made.length} calls instead of ${calls.length}`];
  calls.forEach(({ name, input, output }, i) => {
    const { call, result } = made[i] ?? {};
    if (call?.tool !== name || !isDeepStrictEqual(call.input, input)) wrong.push(`call ${i} is ${call?.tool} instead of ${name}`);
    // What the shop refused is a new call. It may be refused for another reason, or be taken: its rows have changed since.
    else if (isRefusal(output) && result?.effect && result.effect.state !== 'unknown') return;
    else if (call.class !== 'read' && (!result || !isSame(result.output, output)))
      wrong.push(`call ${i}, ${name}, gave ${shortened(JSON.stringify(result?.output))} instead of ${shortened(output)}`);
  });
  return wrong;
}

const isRefusal = (output: string): boolean => output.startsWith('Error');

/** Counts the writes that the shop truly refuses, and took: the rows have changed since, and differ from the true ones by them. */
export const takenIn = ({ calls }: ShopTask, records: readonly RunRecord[]): number =>
  answered(records).filter(({ result }, i) => result?.effect?.state === 'done' && isRefusal(calls[i]?.output ?? '')).length;

/** Counts the calls that were answered from what was done before. */
export const reusedIn = (records: readonly RunRecord[]): number => answered(records).filter(({ result }) => result?.reused).length;

/** Tells whether an output is the true one: as JSON where both are, else as text. */
export const isSame = (output: Json, truth: string): boolean => isDeepStrictEqual(parsed(output), parsed(truth));

function parsed(output: unknown): unknown {
  if (typeof output !== 'string') return output;
  try {
    return JSON.parse(output);
  } catch {
    return output;
  }
}

interface Answered {
  readonly call: Call;
  readonly result: Result | undefined;
}

/** The calls of a log with their results, in order. */
function answered(records: readonly RunRecord[]): Answered[] {
  const results = new Map(records.flatMap((record) => (record.type === 'results' ? [[record.reply, record.results] as const] : [])));
  return records.flatMap((record) =>
    record.type === 'reply' ? record.calls.map((call) => ({ call, result: results.get(record.seq)?.[call.index] })) : [],
  );
}

function wrongOutputs({ calls }: ShopTask, made: readonly Answered[]): string[] {
  const wrong = made.length === calls.length ? [] : [`it made ${made.length} calls instead of ${calls.length}`];
  calls.forEach(({ name, input, output }, i) => {
    const { call, result } = made[i] ?? {};
    if (call?.tool !== name || !isDeepStrictEqual(call.input, input)) wrong.push(`call ${i} is ${call?.tool} instead of ${name}`);
    else if (!result || !isSame(result.output, output))
      wrong.push(`call ${i}, ${name}, gave ${shortened(JSON.stringify(result?.output))} instead of ${shortened(output)}`);
  });
  return wrong;
}

const shortened = (text = 'nothing') => (text.length > 300 ? `${text.slice(0, 300)}...` : text);

function wrongRows({ changed }: ShopTask, journal: DeskReport): string[] {
  if (isDeepStrictEqual(journal.changed, changed)) return [];
  const names = (rows: object) => JSON.stringify(Object.entries(rows).map(([table, ids]) => [table, ...Object.keys(ids)]));
  return [`the shop's changed rows are not the true ones: ${names(journal.changed)}, and should be ${names(changed)}`];
}

function duplicatesIn({ applied, repeated }: DeskReport): string[] {
  const keys = applied.map(({ key }) => key);
  return [...new Set([...repeated, ...keys.filter((key, i) => keys.indexOf(key) !== i)])];
}

/** What the log says was done and the shop did not do, and the other way round. */
function unknownEffects(made: readonly Answered[], { applied }: DeskReport): string[] {
  const done = new Set(made.flatMap(({ result }) => (result?.effect?.state === 'done' ? [result.effect.key] : [])));
  const known = new Set(applied.map(({ key }) => key));
  return [
    ...[...done].filter((key) => !known.has(key)).map((key) => `the log has effect ${key} as done, and the shop never made it`),
    ...[...known].filter((key) => !done.has(key)).map((key) => `the shop made effect ${key}, and the log does not have it as done`),
  ];
}
