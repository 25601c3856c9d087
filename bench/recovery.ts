import { setTimeout as pause } from 'node:timers/promises';
import type { RunRecord } from '../shared/record.ts';
import { type MachineProcess, startMachine } from './machine.ts';
import { recordsOf, startRun } from './run.ts';
import { median } from './statistics.ts';
import { withFolder } from './temporary-folder.ts';

/** How long a tool holds its first try, ms: long enough to be hit. */
const HOLD_MS = 500;
/** Turns that a run has behind it when its host is killed. */
export const TURNS_BEFORE_KILL = 100;
const ENDLESS = 1_000_000;

/** From kill -9 of a worker in mid-call to the record of its step, ms: the median of several kills in one run. */
export const measureWorkerKills = (times: number): Promise<number> =>
  withFolder(async (folder) => {
    const machine = await startMachine(folder);
    const runId = await startRun(machine.url, { turns: ENDLESS, tool: 'read_text', holdMs: HOLD_MS });
    const taken: number[] = [];
    while (taken.length < times) taken.push(await killWorker(machine, runId));
    await machine.stop();
    return median(taken);
  });

async function killWorker(machine: MachineProcess, runId: string): Promise<number> {
  const reply = await nextRecord(machine.url, runId, 0, ({ type }) => type === 'reply');
  await pause(HOLD_MS / 5);
  const killedAt = Date.now();
  await machine.killWorker('tool-step');
  const { at } = await nextRecord(machine.url, runId, reply.seq, () => true);
  return at - killedAt;
}

/** From kill -9 of the host to the next record, ms, with the host started again at once: the median of several kills. */
export const measureHostKills = (times: number): Promise<number> =>
  withFolder(async (folder) => {
    let machine = await startMachine(folder);
    const runId = await startRun(machine.url, { turns: ENDLESS, tool: 'read_text' });
    const taken: number[] = [];
    for (let seq = 2 * TURNS_BEFORE_KILL; taken.length < times; seq += 2 * TURNS_BEFORE_KILL) {
      await nextRecord(machine.url, runId, seq, () => true);
      const killedAt = Date.now();
      await machine.killHost();
      machine = await startMachine(folder);
      const { at } = await nextRecord(machine.url, runId, seq, ({ at }) => at > killedAt);
      taken.push(at - killedAt);
    }
    await machine.stop();
    return median(taken);
  });

/** Waits for a record above a seq that is wanted: the oldest such one; with `after` 0 the newest of all. */
async function nextRecord(url: string, runId: string, after: number, wanted: (record: RunRecord) => boolean): Promise<RunRecord> {
  for (;;) {
    const records = await recordsOf(url, runId, after);
    const found = after === 0 ? [records.at(-1)].find((record) => record && wanted(record)) : records.find(wanted);
    if (found) return found;
    await pause(20);
  }
}

/** From spawn of the host until it answers, ms: the median of several starts on an empty folder, with everything bundled before. */
export async function measureStarts(times: number): Promise<number> {
  const taken: number[] = [];
  while (taken.length < times) taken.push(await withFolder(startOnce));
  return median(taken);
}

async function startOnce(folder: string): Promise<number> {
  const machine = await startMachine(folder);
  await machine.stop();
  return machine.startMs;
}
