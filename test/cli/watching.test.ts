import { afterEach, describe, expect, it } from 'vitest';
import { askId } from '../../shared/tables.ts';
import { holdfast } from './command.ts';
import { type FakeRun, type FakeService, startFakeService } from './fake-service.ts';
import { callOf, end, endedRun, RUN_ID, reply, summary, task, waitingRun } from './sample-run.ts';

const services: FakeService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

async function serve(run: FakeRun, port = 0): Promise<FakeService> {
  const service = await startFakeService([run], port);
  services.push(service);
  return service;
}

const soon = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('holdfast watch', () => {
  it('shows records as they come', async () => {
    const run: FakeRun = { summary: summary(), records: [task()] };
    const service = await serve(run);
    const watched = holdfast(service.url, ['watch', RUN_ID]);
    await soon(50);
    run.records.push(reply(2, [callOf(0)]));
    await soon(50);
    run.summary = summary({ status: 'completed' });
    run.records.push(end(3));
    const { code, out } = await watched;
    expect(code).toBe(0);
    expect(out.match(/#\d/g)).toEqual(['#1', '#2', '#3']);
  });

  it('stays on a terminal while the run waits for an answer, and says once how to answer', async () => {
    const run = waitingRun();
    const service = await serve(run);
    const watched = holdfast(service.url, ['watch', RUN_ID], { tty: true, env: { HOLDFAST_URL: service.url, NO_COLOR: '1' } });
    await soon(1_200);
    run.records.push(
      { v: 1, seq: 4, at: 1_700_000_009_000, type: 'answer', ask: 3, by: 'kim', via: 'API', answers: [{ decision: 'approve' }] },
      end(5),
    );
    run.summary = summary({ status: 'completed' });
    const { code, out } = await watched;
    expect(code).toBe(0);
    expect(out.split(`answer ${askId(RUN_ID, 3)}`)).toHaveLength(2);
    expect(out).toContain('by kim');
  });

  it('says what keeps the run between two records: attempts and waits', async () => {
    const run: FakeRun = {
      summary: summary({ attempts: 3, waitUntil: Date.now() + 60_000, reason: 'the model is overloaded' }),
      records: [task()],
    };
    const service = await serve(run);
    const watched = holdfast(service.url, ['watch', RUN_ID]);
    // The second look begins when the first has been shown.
    await expect
      .poll(() => service.requests.filter(({ path }) => path.endsWith('/records')).length, { timeout: 20_000 })
      .toBeGreaterThan(1);
    run.summary = summary({ status: 'completed' });
    run.records.push(end(2));
    expect((await watched).out).toMatch(/waits: the model is overloaded; next try in 59s|waits: the model is overloaded; next try in 1m/);
  });

  it('finds a service again that was lost', async () => {
    const run: FakeRun = { summary: summary(), records: [task()] };
    const first = await startFakeService([run]);
    const watched = holdfast(first.url, ['watch', RUN_ID, '--patience', '20']);
    await soon(100);
    await first.close();
    await soon(400);
    const ended = endedRun();
    await serve(ended, Number(new URL(first.url).port));
    const { code, err, out } = await watched;
    expect(code).toBe(0);
    expect(err).toContain('the service is there again');
    expect(out.match(/#\d/g)).toEqual(['#1', '#2', '#3']);
  });

  it('gives up on a lost service when its patience ends', async () => {
    const { code } = await holdfast('http://127.0.0.1:9', ['watch', RUN_ID, '--patience', '0']);
    expect(code).toBe(3);
  });
});
