import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Lane, startLane } from '../crash/lane.ts';
import { apiClient } from '../support/api-client.ts';

let lane: Lane;
let api: ReturnType<typeof apiClient>;
beforeAll(async () => {
  lane = await startLane({ sweeps: true });
  api = apiClient(lane.host.url);
});
afterAll(() => lane?.stop());

/** Kills the process that is about to wake the run, once. Returns what was seen. */
function killWaker(name: string): { struck: boolean } {
  const told = { struck: false };
  lane.striker.pass = (operation, when) => {
    if (told.struck || when !== 'before' || operation.name !== `${name} SendTaskSuccess`) return false;
    told.struck = true;
    process.kill(operation.pid, 'SIGKILL');
    return true;
  };
  return told;
}

it('a sweep wakes a run whose answer was recorded by a process that died before it could, and is not sent again', async () => {
  const runId = await api.start('story', { story: 'an approved write' });
  const run = await api.until(runId, 'waiting');
  const told = killWaker('answer');
  expect((await api.answer(run, { decision: 'approve' })).status).toBeGreaterThanOrEqual(500);
  expect(told.struck).toBe(true);
  expect(await api.until(runId, 'completed')).toMatchObject({ status: 'completed' });
});
