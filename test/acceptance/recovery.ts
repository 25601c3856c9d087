import assert from 'node:assert/strict';
import { MAX_FAILURES } from '../../shared/machine.ts';
import { apiClient } from '../support/api-client.ts';
import { deployBrokenMachine, deployFirstMachine, stopExecution, versionOfSegment } from './account.ts';
import { type Check, ONCE, type Tried } from './check.ts';
import { atEveryKill, begin, CONSENT, endsWell, seen } from './hand.ts';
import { quiet, type Stage } from './stage.ts';
import type { Baselines } from './stories.ts';
import { arm, type Strike } from './strike.ts';
import type { Slice } from './strikes.ts';

/** A run whose execution is gone goes on in its next segment. */
export function recoveryChecks(baselines: Baselines, slice: Slice): Check[] {
  const section = 'recovery';
  const kills = (stage: Stage) => atEveryKill(stage, 'recover', slice, (strike) => stopped(stage, baselines, strike));
  return [
    { section, name: 'an execution is stopped while it waits', run: kills },
    { section, name: 'another version is deployed while it waits', run: (stage) => redeployed(stage, baselines) },
    { section, name: 'an execution is stopped while a tool is at work', run: stoppedAtWork },
    { section, name: 'an execution ends after too many failures', run: (stage) => outage(stage, baselines) },
  ];
}

async function stopped(stage: Stage, baselines: Baselines, strike?: Strike): Promise<void> {
  const api = apiClient(stage.url);
  const runId = await begin(stage, 'story', { story: 'an approved write' });
  await api.until(runId, 'waiting');
  await quiet(stage);
  const armed = await arm(stage, strike);
  await stopExecution(stage, runId, 1);
  const run = await seen(stage, runId, ({ segment, status }) => segment > 1 && status === 'waiting');
  assert.equal(await armed.struck(), strike !== undefined, 'the recovery did not come to this point');
  await api.answer(run, CONSENT);
  await endsWell(stage, baselines, runId, 'an approved write');
}

/** A run that began before another deployment goes on, segment by segment, on the version with which it began. */
async function redeployed(stage: Stage, baselines: Baselines): Promise<Tried> {
  const api = apiClient(stage.url);
  const runId = await begin(stage, 'story', { story: 'an approved write' });
  assert.equal((await api.until(runId, 'waiting')).version, 1);
  await quiet(stage);
  await deployBrokenMachine(stage);
  try {
    await stopExecution(stage, runId, 1);
    const run = await seen(stage, runId, ({ segment, status }) => segment > 1 && status === 'waiting');
    await api.answer(run, CONSENT);
    await endsWell(stage, baselines, runId, 'an approved write');
    for (const segment of [1, run.segment]) assert.match((await versionOfSegment(stage, runId, segment)) ?? '', /:1$/);
  } finally {
    await deployFirstMachine(stage);
  }
  return ONCE;
}

/** The function goes on after its execution was stopped, as functions do: the next segment waits for what it records. */
async function stoppedAtWork(stage: Stage): Promise<Tried> {
  const runId = await begin(stage, 'slow', {});
  await seen(stage, runId, () => stage.world.applied.length > 0);
  await stopExecution(stage, runId, 1);
  const run = await apiClient(stage.url).until(runId, 'completed', 'waiting', 'failed');
  assert.deepEqual([run.status, run.segment > 1, stage.world.applied.length], ['completed', true, 1], `it is ${run.status}: ${run.reason}`);
  return ONCE;
}

/** No function can be invoked for long. Waits are cut short, and with them the pauses between the tries. */
async function outage(stage: Stage, baselines: Baselines): Promise<Tried> {
  const { simulator } = stage;
  const times = MAX_FAILURES + 5;
  await simulator.tell('POST', 'time-scale', { wait: 1000 });
  try {
    await simulator.tell('POST', 'faults', {
      action: 'fail',
      caller: 'states',
      operation: 'lambda.Invoke',
      error: 'ServiceException',
      times,
    });
    const runId = await begin(stage, 'story', { story: 'a once write' });
    await endsWell(stage, baselines, runId, 'a once write');
    const executions = await simulator.get<{ name: string; error: string | null }[]>('executions');
    assert(
      executions.some(({ name, error }) => name.startsWith(runId) && error === 'TooManyFailures'),
      'no execution gave up',
    );
  } finally {
    await simulator.tell('POST', 'time-scale', { wait: 1 });
  }
  return ONCE;
}
