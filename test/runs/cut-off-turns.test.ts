import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createStriker, type Striker, strikeProxy, type When } from '../crash/striker.ts';
import { resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { anthropicMessage, text, toolUse } from '../support/provider-server/answers.ts';
import { type ProviderServer, startProviderServer } from '../support/provider-server.ts';

let provider: ProviderServer;
let machine: Machine;
const striker = createStriker();
const spares: Striker['pass'] = striker.pass;
let proxy: Awaited<ReturnType<typeof strikeProxy>>;
beforeAll(async () => {
  provider = await startProviderServer();
  proxy = await strikeProxy(() => machine.host.endpoints.store, striker);
  const environment = { ANTHROPIC_BASE_URL: `${provider.url}/v1`, ANTHROPIC_API_KEY: 'key', AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
  machine = await startMachine(new URL('./cut-off-agents.ts', import.meta.url), { environment });
});
afterAll(async () => {
  await machine?.stop();
  proxy?.close();
  await provider?.close();
});
afterEach(() => {
  striker.pass = spares;
  expect(provider.refusals).toEqual([]);
});

/** A model that numbers its calls from the beginning in every reply. */
const calls = (tool: string, item: string) => ({ body: anthropicMessage([toolUse('call_0', tool, { item })], 'tool_use') });
const says = (words: string) => ({ body: anthropicMessage([text(words)]) });

/** Kills the process that makes the n-th operation of this name, from 1. Returns how often there was one, and how often it was cut. */
function cutAt(name: string, nth: number, when: When) {
  const seen = { before: 0, after: 0, cut: 0 };
  striker.pass = (operation, at) => {
    if (operation.name !== name) return false;
    seen[at] += 1;
    if (at !== when || seen[at] !== nth) return false;
    process.kill(operation.pid, 'SIGKILL');
    seen.cut += 1;
    return true;
  };
  return seen;
}

const NEVER = Number.POSITIVE_INFINITY;
/** The n-th reply is stored, and its process dies before it says so: no tool has begun. */
const cutAfterReply = (nth: number) => cutAt('model-step PutItem', nth, 'after');

const applied = (runId: string) => machine.world.applied.filter(({ key }) => key.startsWith(runId));
const outputsOf = async (runId: string) => resultsIn(await machine.api.records(runId)).map(({ output }) => output);

/** Plays a run to its end. Returns it with the requests that its model got. */
async function whole(...played: Parameters<ProviderServer['play']>) {
  const before = provider.requests.length;
  provider.play(...played, says('Done.'));
  const runId = await machine.api.start('clerk', 'go');
  await machine.api.until(runId, 'completed');
  return { runId, requests: provider.requests.slice(before).map(({ body }) => body) };
}

describe('a run that is cut off between a stored reply and its results', () => {
  it('makes the call before the model is asked again, and takes a message afterwards', async () => {
    const seen = cutAfterReply(1);
    const { runId, requests } = await whole(calls('look_up', 'A1'));
    expect([seen.cut, applied(runId).length, requests.length]).toEqual([1, 1, 2]);
    provider.play(says('Gladly.'));
    await machine.api.call('POST', `/runs/${runId}/messages`, { text: 'please continue' });
    await expect
      .poll(async () => (await machine.api.records(runId)).map(({ type }) => type).join(), { timeout: 20_000 })
      .toMatch(/user,reply,end$/);
    const types = (await machine.api.records(runId)).map(({ type }) => type);
    expect(types).toEqual(['task', 'reply', 'results', 'reply', 'end', 'user', 'reply', 'end']);
    expect(applied(runId)).toHaveLength(1);
  });

  it('answers the second of two calls with one id by its own result', async () => {
    const seen = cutAfterReply(2);
    const { runId, requests } = await whole(calls('look_up', 'A1'), calls('look_up', 'A2'));
    expect(applied(runId).map(({ input }) => input)).toEqual(['A1', 'A2']);
    expect(await outputsOf(runId)).toEqual([{ found: 'A1' }, { found: 'A2' }]);
    expect([seen.cut, requests.length]).toEqual([1, 3]);
    expect(JSON.stringify(requests[2]?.messages)).toMatch(/c2_0.*A1.*c2_0.*found.*A1.*c4_0.*A2.*c4_0.*found.*A2/);
  });

  it('really looks each time at what it asks for again and again', async () => {
    const seen = cutAfterReply(3);
    const { runId } = await whole(...[1, 2, 3].map(() => calls('check_status', 'J1')));
    expect(await outputsOf(runId)).toEqual(['pending', 'pending', 'done']);
    expect(new Set(applied(runId).map(({ key }) => key)).size).toBe(3);
    expect([seen.cut, applied(runId).length]).toEqual([1, 3]);
  });
});

describe('an output that is another value when it is read back', () => {
  it.each(['give', 'give_once'])('of %s is the same to the run and its model, cut off after the tool or not', async (tool) => {
    const puts = cutAt('tool-step PutItem', NEVER, 'before');
    const uncut = await whole(calls(tool, 'x'));
    // The last thing that the step puts is its record.
    const seen = cutAt('tool-step PutItem', puts.before, 'before');
    const cut = await whole(calls(tool, 'x'));
    expect(seen.cut).toBe(1);
    expect(await outputsOf(cut.runId)).toEqual(await outputsOf(uncut.runId));
    expect(await outputsOf(cut.runId)).toMatchObject([{ kept: { when: '1970-01-01T00:00:00.000Z', seen: null, m: null } }]);
    expect(cut.requests.map(({ messages }) => messages)).toEqual(uncut.requests.map(({ messages }) => messages));
    expect([applied(uncut.runId).length, applied(cut.runId).length]).toEqual(tool === 'give' ? [1, 2] : [1, 1]);
  });
});
