import { isDeepStrictEqual } from 'node:util';
import type { ShopTask } from '../../agents/tau-retail/data.ts';
import type { DeskReport } from '../../agents/tau-retail/shop/desk.ts';
import type { Json } from '../../shared/json.ts';
import type { Call, Result, RunRecord } from '../../shared/record.ts';
import { faultsOf } from '../crash/shape.ts';

/** What is wrong with what a run left behind. */
export interface Judgement {
  readonly outputs: string[];
  readonly rows: string[];
  /** Effect keys whose effect was made, or attempted again, after it had been made. */
  readonly duplicates: string[];
  readonly log: string[];
}

/** Compares a run with the truth: every call and its output, the rows of the shop, one effect under one key, a well-formed log. */
export function judge(task: ShopTask, records: readonly RunRecord[], journal: DeskReport): Judgement {
  return {
    outputs: wrongOutputs(task, answered(records)),
    rows: wrongRows(task, journal),
    duplicates: duplicatesIn(journal),
    log: faultsOf(records),
  };
}

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

/** The calls of a log with their results, in order. */
function answered(records: readonly RunRecord[]): { call: Call; result: Result | undefined }[] {
  const results = new Map(records.flatMap((record) => (record.type === 'results' ? [[record.reply, record.results] as const] : [])));
  return records.flatMap((record) =>
    record.type === 'reply' ? record.calls.map((call) => ({ call, result: results.get(record.seq)?.[call.index] })) : [],
  );
}

function wrongOutputs({ calls }: ShopTask, made: ReturnType<typeof answered>): string[] {
  const wrong = made.length === calls.length ? [] : [`it made ${made.length} calls instead of ${calls.length}`];
  calls.forEach(({ name, input, output }, i) => {
    const { call, result } = made[i] ?? {};
    if (call?.tool !== name || !isDeepStrictEqual(call.input, input)) wrong.push(`call ${i} is ${call?.tool} instead of ${name}`);
    else if (!result || !isSame(result.output, output))
      wrong.push(`call ${i}, ${name}, gave ${JSON.stringify(result?.output)?.slice(0, 300)} instead of ${output.slice(0, 300)}`);
  });
  return wrong;
}

function wrongRows({ changed }: ShopTask, journal: DeskReport): string[] {
  if (isDeepStrictEqual(journal.changed, changed)) return [];
  const names = (rows: object) => JSON.stringify(Object.entries(rows).map(([table, ids]) => [table, ...Object.keys(ids)]));
  return [`the shop's changed rows are not the true ones: ${names(journal.changed)}, and should be ${names(changed)}`];
}

function duplicatesIn({ applied, repeated }: DeskReport): string[] {
  const keys = applied.map(({ key }) => key);
  return [...new Set([...repeated, ...keys.filter((key, i) => keys.indexOf(key) !== i)])];
}
