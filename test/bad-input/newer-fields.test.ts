import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack, unpack } from '../../lambdas/lib/body.ts';
import { effectItemKey, META_KEY, recordKey, waitKey } from '../../shared/tables.ts';
import { type Item, type Machine, startMachine } from './machine.ts';

/** What newer code has written beside what this code knows. */
const NEWER = { newer: { since: 'the next version', list: [1, { deep: true }] } };

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine('call-agents.ts');
});
afterAll(() => machine?.stop());

interface Body {
  readonly [field: string]: unknown;
  readonly calls?: object[];
  readonly questions?: object[];
}

const marked = (list: object[] | undefined, name: string) => (list ? { [name]: list.map((each) => ({ ...each, ...NEWER })) } : {});

/** An item as newer code of the same schema version would have it. */
function asNewer(item: Item): Item {
  const body = item.body ? (unpack(item.body as Uint8Array) as Body) : undefined;
  const more = body && { ...body, ...marked(body.calls, 'calls'), ...marked(body.questions, 'questions'), ...NEWER };
  const packed = more && { body: new Uint8Array(pack(more)) };
  if (item.sk !== META_KEY) return { ...item, ...packed, ...(packed ? {} : NEWER) };
  const { pin, policy } = item as { pin: object; policy: object };
  return {
    ...item,
    ...NEWER,
    pin: { ...pin, ...NEWER },
    policy: { ...policy, ...NEWER, compaction: { atTokens: 100_000, ...NEWER }, onDrift: { adopt: 'Ada', ...NEWER } },
  };
}

/** Writes a run's items as newer code would have left them, and has every process forget what it knew. */
async function rollBack(runId: string, ...keys: string[]): Promise<Item[]> {
  const written: Item[] = [];
  for (const sk of keys) written.push(asNewer((await machine.item(runId, sk)) as Item));
  for (const item of written) await machine.put(item);
  await machine.forget('model-step', 'tool-step', 'answer', 'read-runs', 'steer-run', 'recover');
  return written;
}

const begun = async (call: object) => {
  const runId = await machine.start('plays', [{ calls: [call] }]);
  return { runId, askId: (await machine.settled(runId)).ask?.id as string };
};

describe('a run that newer code has begun, after a roll-back', () => {
  it('goes on, and nothing that only newer code knows is lost', async () => {
    const { runId, askId } = await begun({ tool: 'pay_guarded', input: { item: 'a' } });
    const records = [1, 2, 3].map(recordKey);
    const written = await rollBack(runId, META_KEY, waitKey(3), ...records);
    await machine.post(`/asks/${askId}/answer`, { by: 'Ada', decision: 'approve' });
    expect(await machine.settled(runId, ['completed', 'failed'])).toMatchObject({ status: 'completed' });
    expect(machine.world.applied.filter(({ key }) => key.startsWith(`${runId}/`))).toHaveLength(1);
    expect(await machine.item(runId, META_KEY)).toMatchObject({
      ...NEWER,
      pin: NEWER,
      policy: { ...NEWER, compaction: NEWER, onDrift: { adopt: 'Ada', ...NEWER } },
    });
    for (const [i, sk] of records.entries()) expect(await machine.item(runId, sk)).toEqual(written[i + 2]);
    const { text } = await machine.send({ path: `/runs/${runId}/export` });
    const lines = (JSON.parse(text).text as string).split('\n').filter((line) => line.includes('"newer"'));
    expect(lines.map((line) => JSON.parse(line).kind)).toEqual(['meta', 'record', 'record', 'record']);
  });

  it('keeps what only newer code knows of an effect that a person settles', async () => {
    const { runId, askId } = await begun({ tool: 'fail_once', input: { what: 'a text' } });
    await rollBack(runId, META_KEY, effectItemKey(2, 0));
    await machine.post(`/asks/${askId}/answer`, { by: 'Ada', decision: 'done', output: 'paid' });
    await machine.settled(runId, ['completed']);
    expect(await machine.item(runId, effectItemKey(2, 0))).toMatchObject({ ...NEWER, state: 'done', pk: `RUN#${runId}` });
  });
});
