import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ask, RunRecord } from '../../shared/record.ts';
import { type Machine, startMachine } from './machine.ts';

/** A run that is given something wrong, and all that must come of it. */
export interface Row {
  readonly name: string;
  readonly agent?: string;
  readonly input: unknown;
  readonly outcome: Outcome;
}

export interface Outcome {
  /** How the run stands at last: `completed` unless told otherwise, or what it asks. */
  readonly end?: 'completed' | { status: 'failed'; reason: string; text?: RegExp } | { asks: Ask['kind']; reason: string; text?: RegExp };
  /** The results of the first turn: whether each is good, and what it says. */
  readonly results?: readonly (readonly [ok: boolean, output: unknown])[];
  /** The tools that ran, each time they did. */
  readonly ran?: readonly string[];
  /** What else must hold of the log. */
  readonly log?: (records: RunRecord[]) => void;
}

/** Starts every row's run at once, and checks each by itself. Returns the machine for further tests. */
export function playTable(table: Readonly<Record<string, readonly Row[]>>): () => Machine {
  let machine: Machine;
  const runs = new Map<Row, string>();
  beforeAll(async () => {
    machine = await startMachine('call-agents.ts');
    for (const row of Object.values(table).flat()) runs.set(row, await machine.start(row.agent ?? 'plays', row.input));
  });
  afterAll(() => machine?.stop());

  describe.each(Object.entries(table))('%s', (_, rows) => {
    it.each(rows.map((row) => [row.name, row] as const))('%s', async (_, row) => {
      await check(machine, runs.get(row) as string, row.outcome);
    });
  });
  return () => machine;
}

async function check(machine: Machine, runId: string, { end = 'completed', results, ran, log }: Outcome): Promise<void> {
  const { status, reason, ask } = await machine.settled(runId);
  const records = await machine.records(runId);
  const last = records.at(-1);
  if (end === 'completed') expect({ status, reason }).toEqual({ status: 'completed', reason: 'final-reply' });
  else if ('status' in end) {
    expect({ status, reason }).toEqual({ status: end.status, reason: end.reason });
    if (end.text) expect(last?.type === 'end' && last.text).toMatch(end.text);
  } else {
    expect({ status, asks: ask?.kind, reason: last?.type === 'ask' && last.reason }).toEqual({
      status: 'waiting',
      asks: end.asks,
      reason: end.reason,
    });
    if (end.text) expect(last?.type === 'ask' && last.questions[0]?.text).toMatch(end.text);
  }
  const first = records.find((record) => record.type === 'results');
  if (results) expect(first?.results.map(({ ok, output }) => [ok, output])).toEqual(results);
  if (ran) expect(machine.world.applied.filter(({ key }) => key.startsWith(`${runId}/`)).map(({ name }) => name)).toEqual(ran);
  log?.(records);
}

/** Matches a text. */
export const says = (words: RegExp) => expect.stringMatching(words);
