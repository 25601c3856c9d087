import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunSummary } from '../../shared/api.ts';
import { startWorld, type World } from '../runs/world.ts';
import { apiClient } from '../support/api-client.ts';
import { synthesize } from './assembly.ts';
import type { Finding } from './finding.ts';
import { CONSENT } from './hand.ts';
import { addSecondDeployment, FIRST_STAGE, JWT, SECOND_STAGE } from './second-deployment.ts';
import { startSigner } from './signer.ts';
import { type Simulator, startSimulator } from './simulator.ts';

const moduleOf = (name: string) => fileURLToPath(new URL(`./${name}-agents.ts`, import.meta.url));

/**
 * Two deployments in a row: a run that waits meanwhile ends on its own code, and a new one takes the new code. The second one's
 * callers show tokens.
 */
export async function deployTwice(folder: string, simulator: string): Promise<Finding> {
  const finding = { section: 'deployments', name: 'two in a row, signed and with tokens, and a run waits in between', tried: 1, asked: 0 };
  try {
    await deployAndPlay(join(folder, 'twice'), simulator);
    return { ...finding, faults: [] };
  } catch (error) {
    return { ...finding, faults: [(error as Error).message] };
  }
}

async function deployAndPlay(assembly: string, folder: string): Promise<void> {
  await synthesize(moduleOf('first'), assembly);
  await addSecondDeployment(moduleOf('second'), assembly);
  await using cleaning = new AsyncDisposableStack();
  const world = cleaning.adopt(await startWorld(), (started) => started.close());
  const simulator = cleaning.adopt(await startSimulator({ folder, assembly, environment: { WORLD_URL: world.url } }), (one) => one.stop());
  const before = cleaning.adopt(await startSigner(simulator.apiUrlOf(FIRST_STAGE)), (one) => one.close());
  const url = simulator.apiUrlOf(SECOND_STAGE);
  const after = cleaning.adopt(await startSigner(url, await tokenFor(simulator, JWT.audience)), (one) => one.close());
  await play(before.url, after.url, world);
  const strangers = [undefined, 'Bearer nonsense', await tokenFor(simulator, 'another')];
  for (const authorization of strangers)
    assert.equal((await fetch(`${url}/runs`, { headers: authorization ? { authorization } : {} })).status, 401, `for ${authorization}`);
}

async function tokenFor(simulator: Simulator, aud: string): Promise<string> {
  const claims = { iss: JWT.issuer, aud, sub: 'ada', exp: Math.ceil(Date.now() / 1000) + 3600 };
  return `Bearer ${(await simulator.tell<{ token: string }>('POST', 'jwt', claims)).token}`;
}

async function play(before: string, after: string, world: World): Promise<void> {
  const old = await apiClient(before).start('deployed', {});
  await apiClient(before).until(old, 'waiting');
  // From here on everybody talks to what was deployed last.
  const api = apiClient(after);
  const young = await api.start('deployed', {});
  assert.equal((await paid(after, young, world)).text, 'Paid by the second.');
  assert.equal((await paid(after, old, world)).text, 'Paid by the first.');
  assert.deepEqual(
    world.applied.map(({ name }) => name),
    ['second pay', 'first pay'],
  );
}

async function paid(url: string, runId: string, world: World): Promise<{ text: string }> {
  const api = apiClient(url);
  const before = world.applied.length;
  const waiting: RunSummary = await api.until(runId, 'waiting');
  assert.equal((await api.answer(waiting, CONSENT)).status, 200, 'the answer was refused');
  const { status, reason } = await api.until(runId, 'completed', 'failed', 'interrupted');
  assert.deepEqual([status, world.applied.length], ['completed', before + 1], `it is ${status}: ${reason}`);
  const last = (await api.records(runId)).at(-1);
  return { text: last?.type === 'end' ? last.text : '' };
}
