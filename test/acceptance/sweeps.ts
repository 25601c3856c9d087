import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { apiClient } from '../support/api-client.ts';
import { type Check, ONCE, type Tried } from './check.ts';
import { atEveryKill, begin, CONSENT, endsWell } from './hand.ts';
import { mailsOf } from './mails.ts';
import { quiet, type Stage, sweep } from './stage.ts';
import type { Baselines } from './stories.ts';
import { arm, KILLS, MissedError, type Strike } from './strike.ts';
import type { Slice } from './strikes.ts';

/** What was left lying is picked up by the sweep, which its schedule fires. */
export function sweepChecks(baselines: Baselines, slice: Slice): Check[] {
  const section = 'sweep';
  const kills = (stage: Stage) => atEveryKill(stage, 'sweep', slice, (strike) => undelivered(stage, baselines, strike));
  return [
    { section, name: 'an answer is recorded and not delivered', run: kills },
    { section, name: 'nobody answers in time', run: overdue },
    // It takes a minute, since a mail is not tried again sooner.
    ...(slice('a mail is refused') ? [{ section, name: 'a mail is refused', run: refused }] : []),
  ];
}

async function undelivered(stage: Stage, baselines: Baselines, strike?: Strike): Promise<void> {
  const api = apiClient(stage.url);
  const runId = await begin(stage, 'story', { story: 'an approved write' });
  const run = await api.until(runId, 'waiting');
  await quiet(stage);
  const [beforeIt] = KILLS as [(typeof KILLS)[0]];
  await arm(stage, { point: { by: 'answer', operation: 'states.SendTaskSuccess', nth: 1 }, fault: beforeIt });
  const { status } = await api.answer(run, CONSENT);
  assert(status >= 500, `the answer was delivered, with status ${status}`);
  const armed = await arm(stage, strike);
  await sweep(stage);
  // What others left lying is swept too, once.
  if (strike && !(await armed.struck())) throw new MissedError('the sweep did not come to this point');
  if (strike) await sweep(stage);
  await endsWell(stage, baselines, runId, 'an approved write');
}

async function overdue(stage: Stage): Promise<Tried> {
  const api = apiClient(stage.url);
  const runId = await begin(stage, 'payer', [['pay_soon a']]);
  await api.until(runId, 'waiting');
  await setTimeout(1_500);
  await sweep(stage);
  assert.equal((await api.until(runId, 'completed', 'failed')).status, 'completed');
  const answer = (await api.records(runId)).find(({ type }) => type === 'answer');
  assert.deepEqual([answer?.type === 'answer' && answer.by, stage.world.applied.length], ['the clock', 0]);
  return ONCE;
}

/** Longer than the pause after a first try that failed, and than the time in which the sweep leaves new asks alone, ms. */
const NEXT_TRY_MS = 62_000;

async function refused(stage: Stage): Promise<Tried> {
  const api = apiClient(stage.url);
  const mails = async () => (await mailsOf(stage, runId)).length;
  await stage.simulator.tell('POST', 'faults', { action: 'fail', operation: 'ses.SendEmail', error: 'MessageRejected' });
  const runId = await begin(stage, 'payer', [['pay a']]);
  const run = await api.until(runId, 'waiting');
  await quiet(stage);
  assert.equal(await mails(), 0);
  await setTimeout(NEXT_TRY_MS);
  for (const _ of ['the mail is sent', 'and not again']) {
    await sweep(stage);
    assert.equal(await mails(), 1);
  }
  await api.answer(run, CONSENT);
  assert.equal((await api.until(runId, 'completed', 'failed')).status, 'completed');
  return ONCE;
}
