import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PinResponse } from '../../shared/api.ts';
import { startWorld, type World } from '../runs/world.ts';
import { apiClient } from '../support/api-client.ts';
import { deleteMachine } from './account.ts';
import { synthesize } from './assembly.ts';
import type { Finding } from './finding.ts';
import { CONSENT } from './hand.ts';
import { addSecondDeployment, FIRST_STAGE, JWT, SECOND_STAGE } from './second-deployment.ts';
import { startSigner } from './signer.ts';
import { type Simulator, startSimulator } from './simulator.ts';

const moduleOf = (name: string) => fileURLToPath(new URL(`./${name}-agents.ts`, import.meta.url));

/**
 * Two deployments in a row: a run that waits meanwhile ends on its own code, and a new one takes the new code; one whose agent
 * wants that asks, or is adopted; one whose code is gone asks too. The second one's callers show tokens.
 */
export async function deployTwice(folder: string, simulator: string): Promise<Finding> {
  const finding = { section: 'deployments', name: 'two in a row, signed and with tokens, and runs wait in between', tried: 1, asked: 0 };
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
  await play(before.url, after.url, world, (arn) => deleteMachine(simulator, arn));
  const strangers = [undefined, 'Bearer nonsense', await tokenFor(simulator, 'another')];
  for (const authorization of strangers)
    assert.equal((await fetch(`${url}/runs`, { headers: authorization ? { authorization } : {} })).status, 401, `for ${authorization}`);
}

async function tokenFor(simulator: Simulator, aud: string): Promise<string> {
  const claims = { iss: JWT.issuer, aud, sub: 'ada', exp: Math.ceil(Date.now() / 1000) + 3600 };
  return `Bearer ${(await simulator.tell<{ token: string }>('POST', 'jwt', claims)).token}`;
}

async function play(before: string, after: string, world: World, deleted: (machineArn: string) => Promise<void>): Promise<void> {
  const first = apiClient(before);
  const [old, asking, adopting, left] = [
    await begun(first, 'deployed'),
    await begun(first, 'asking'),
    await begun(first, 'adopting'),
    await begun(first, 'deployed'),
  ];
  // From here on everybody talks to what was deployed last.
  const api = apiClient(after);
  const young = await begun(api, 'deployed');
  await answer(api, young, 'approval', CONSENT);
  assert.equal(await textOf(api, young), 'Paid by the second.');
  await answer(api, old, 'approval', CONSENT);
  assert.equal(await textOf(api, old), 'Paid by the first.');
  await answer(api, asking, 'approval', CONSENT);
  assert.match(await answer(api, asking, 'restart', REPIN), /code-changed[\s\S]*Pay as the second deployment does/);
  assert.equal(await textOf(api, asking), 'Paid by the second.');
  await answer(api, adopting, 'approval', CONSENT);
  assert.equal(await textOf(api, adopting), 'Paid by the second.');
  const { pin } = (await api.call<PinResponse>('GET', `/runs/${left}/pin`)).body;
  await deleted(pin.machine.replace(/:\d+$/, ''));
  assert.equal((await api.call('POST', `/runs/${left}/resume`, {})).status, 202);
  assert.match(await answer(api, left, 'restart', REPIN), /code-gone[\s\S]*is gone[\s\S]*Pay as the second deployment does/);
  await answer(api, left, 'approval', CONSENT);
  assert.equal(await textOf(api, left), 'Paid by the second.');
  assert.deepEqual(
    world.applied.map(({ name }) => name),
    ['second pay', 'first pay', 'second pay', 'second pay', 'second pay'],
  );
}

type ApiClient = ReturnType<typeof apiClient>;

const REPIN = { decision: 'repin', by: 'Ada' };

async function begun(api: ApiClient, agent: string): Promise<string> {
  const runId = await api.start(agent, {});
  await api.until(runId, 'waiting');
  return runId;
}

/** Answers what a run asks of a kind, once it does. Returns the ask, as a text. */
async function answer(api: ApiClient, runId: string, kind: string, said: object): Promise<string> {
  for (const end = Date.now() + PATIENCE_MS; ; await setTimeout(50)) {
    const run = await api.show(runId);
    if (run.ask?.kind === kind) {
      const asked = (await api.records(runId)).findLast(({ type }) => type === 'ask');
      assert.equal((await api.answer(run, said)).status, 200, 'the answer was refused');
      return JSON.stringify(asked);
    }
    if (Date.now() > end) throw new Error(`Run ${runId} does not ask for "${kind}": it is ${run.status} (${run.reason})`);
  }
}

const PATIENCE_MS = 60_000;

async function textOf(api: ApiClient, runId: string): Promise<string> {
  const { status, reason } = await api.until(runId, 'completed', 'failed', 'interrupted');
  assert.equal(status, 'completed', `it is ${status}: ${reason}`);
  const last = (await api.records(runId)).at(-1);
  return last?.type === 'end' ? last.text : '';
}
