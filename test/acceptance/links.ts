import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { apiClient, askIn } from '../support/api-client.ts';
import { readLinkKey, rotateLinkKey } from './account.ts';
import { type Check, ONCE, type Tried } from './check.ts';
import { linkIn, mailsOf } from './mails.ts';
import { callsAfter, lastCall, quiet, type Stage } from './stage.ts';

/** What a mailed link does, and what keeps it working. */
export const LINK_CHECKS: readonly Check[] = [
  { section: 'links', name: 'opening a mailed link changes nothing, its form answers', run: opened },
  { section: 'links', name: 'links outlive a rotation of the key, and new ones have the new key', run: rotated },
];

/** A run that waits for consent, and the link that was mailed. */
interface Asking {
  readonly runId: string;
  readonly link: URL;
}

async function asking(stage: Stage): Promise<Asking> {
  const api = apiClient(stage.url);
  stage.world.applied.length = 0;
  const runId = await api.start('payer', [['pay a']]);
  await api.until(runId, 'waiting');
  await quiet(stage);
  const [mail, ...more] = await mailsOf(stage, runId);
  assert(mail && more.length === 0, `${more.length + (mail ? 1 : 0)} mails were sent`);
  return { runId, link: linkIn(mail) };
}

async function opened(stage: Stage): Promise<Tried> {
  const { runId, link } = await asking(stage);
  const since = await lastCall(stage);
  for (const method of ['HEAD', 'GET', 'HEAD', 'GET']) assert.equal((await fetch(link, { method })).status, 200, `${method} of the link`);
  const writes = (await callsAfter(stage, since)).filter(
    ({ by, operation }) => by === 'ask-page' && !/\.(GetItem|Query|GetSecretValue)$/.test(operation),
  );
  assert.deepEqual(writes, []);
  assert.equal((await apiClient(stage.url).show(runId)).status, 'waiting');
  await consent(stage, { runId, link });
  return ONCE;
}

async function consent(stage: Stage, { runId, link }: Asking): Promise<void> {
  const html = await (await fetch(link)).text();
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  const action = new URL(/<form[^>]* action="([^"]+)"/.exec(html)?.[1] ?? '', link);
  const body = new URLSearchParams([...fields, ['decision.0', 'approve']]);
  assert.equal((await fetch(action, { method: 'POST', body, redirect: 'manual' })).status, 303, 'POST of the form');
  const run = await apiClient(stage.url).until(runId, 'completed', 'failed');
  assert.deepEqual([run.status, stage.world.applied.length], ['completed', 1]);
}

async function rotated(stage: Stage): Promise<Tried> {
  const oldKey = await readLinkKey(stage);
  const first = await asking(stage);
  assert.equal(await keyed(stage, first, oldKey), true, 'the first link has the first key');
  const newKey = `another-key-${Date.now()}`;
  await rotateLinkKey(stage, newKey);
  // A process reads the key every few minutes, and when it starts.
  for (const name of ['ask', 'ask-page', 'sweep']) await stage.simulator.tell('POST', 'kill', { function: name });
  await consent(stage, first);
  const second = await asking(stage);
  assert.equal(await keyed(stage, second, newKey), true, 'the second link has the new key');
  await consent(stage, second);
  return ONCE;
}

/** Whether a link was signed with a key. */
async function keyed(stage: Stage, { runId, link }: Asking, key: string): Promise<boolean> {
  const { seq, questions } = askIn(await apiClient(stage.url).records(runId));
  const text = [`${runId}-${seq}`, 'boss@example.test', 1, questions[0]?.expiresAt].join('\n');
  return createHmac('sha256', key).update(text).digest('base64url') === link.searchParams.get('t');
}
