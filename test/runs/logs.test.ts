import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { METRICS, type MetricName } from '../../shared/metrics.ts';
import { type Machine, startMachine } from '../support/machine.ts';

type Line = { runId: string | null; step: string; message: string } & Record<string, unknown>;

let machine: Machine;
let runId: string;
beforeAll(async () => {
  machine = await startMachine(new URL('./ask-agents.ts', import.meta.url), { sweepMs: 100, mailFails: () => true });
  runId = await machine.api.start('payer', [['pay needle']]);
  const waiting = await machine.api.until(runId, 'waiting');
  const counted = (name: MetricName) => vi.waitFor(() => expect(sums()[name]).toBeGreaterThan(0), { timeout: 20_000 });
  await Promise.all([counted('LetterFailures'), counted('RunsWaiting')]);
  await machine.api.answer(waiting, { by: 'Ada', decision: 'approve', comment: 'needle' });
  await machine.api.until(runId, 'completed');
});
afterAll(() => machine?.stop());

const texts = () => {
  const folder = join(machine.dataDir, 'logs');
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
};
const lines = () =>
  texts()
    .flatMap((text) => text.split('\n').slice(0, -1))
    .map((text) => JSON.parse(text) as Line);

/** Sums figures over all lines, each named in its line as CloudWatch wants it. */
function sums(): Partial<Record<MetricName, number>> {
  const found: Partial<Record<MetricName, number>> = {};
  for (const line of lines()) {
    const { CloudWatchMetrics = [] } = (line._aws ?? {}) as { CloudWatchMetrics?: { Metrics: { Name: MetricName }[] }[] };
    for (const { Name } of CloudWatchMetrics.flatMap(({ Metrics }) => Metrics)) found[Name] = (found[Name] ?? 0) + Number(line[Name]);
  }
  return found;
}

describe('the logs of a run', () => {
  it('are lines of JSON that say which run and step they are about', () => {
    for (const line of lines()) {
      expect(line).toMatchObject({ at: expect.any(String), step: expect.stringMatching(/./), message: expect.any(String) });
      expect(line).toHaveProperty('runId');
    }
    const steps = lines().flatMap((line) =>
      line.runId === runId && line.message.startsWith('Recorded') ? [`${line.step}: ${line.message}`] : [],
    );
    expect(steps.toSorted()).toEqual(
      [
        'POST /asks/{id}/answer: Recorded answer 4',
        'POST /runs: Recorded task 1',
        'model:0: Recorded reply 2',
        'model:5: Recorded reply 6',
        'model:5: Recorded end 7',
        'tools:2: Recorded ask 3',
        'tools:4: Recorded results 5',
      ].toSorted(),
    );
  });

  it('count the run once', () => {
    expect(sums()).toMatchObject({ RunsStarted: 1, RunsCompleted: 1, Turns: 2, Asks: 1, Answers: 1 });
    expect(Object.keys(METRICS)).toEqual(expect.arrayContaining(Object.keys(sums())));
  });

  it('hold nothing of what anybody said', () => {
    expect(texts().join('')).not.toContain('needle');
  });
});
