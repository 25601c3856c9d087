import { describe, expect, it } from 'vitest';
import { askModel } from '../../../../lambdas/lib/model.ts';
import type { ViewMessage } from '../../../../shared/model.ts';
import { modelRequest, replyRecord, turn, user } from '../../../support/model-request.ts';
import { useProviderServer } from '../../../support/provider-environment.ts';
import { anthropicMessage, converseMessage, text, toolUse } from '../../../support/provider-server/answers.ts';
import type { Fields } from '../../../support/provider-server/protocol.ts';

const here = useProviderServer();

/** The bodies of three requests of a run, each with one more turn of two calls, and of one with a message at the end. */
async function bodiesOf(model: string, answer: (id: string) => unknown): Promise<Fields[]> {
  const view: ViewMessage[] = [user('Where are my orders?')];
  const ask = async (seq: number) => {
    here.provider.play({ body: answer(`A${seq}`) });
    const outcome = await askModel(modelRequest(model, { view: () => [...view] }));
    expect(here.provider.refusals).toEqual([]);
    return replyRecord(seq, outcome);
  };
  for (const seq of [2, 4, 6]) view.push(...turn(await ask(seq), { output: 'sent' }, { output: 'lost' }));
  view.push(user('And now?'));
  await ask(9);
  return here.provider.requests.map(({ body }) => body);
}

const isMark = (block: Fields): boolean => block.cache_control !== undefined || block.cachePoint !== undefined;

/** The messages whose last block is marked. */
const marked = ({ messages }: Fields): number[] => messages.flatMap(({ content }: Fields, i: number) => (content.some(isMark) ? [i] : []));

/** A body without the marks, which are no part of what is cached. */
const plain = (value: unknown): string =>
  JSON.stringify(value, (key, each) => {
    if (key === 'cache_control') return undefined;
    return Array.isArray(each) ? each.filter((block) => block?.cachePoint === undefined) : each;
  });

describe.each([
  [
    'anthropic/claude-opus-5-5',
    (id: string) =>
      anthropicMessage([toolUse('a', 'lookup_order', { order_id: id }), toolUse('b', 'lookup_order', { order_id: id })], 'tool_use'),
  ],
  [
    'bedrock/us.anthropic.claude-sonnet-5-5-v1:0',
    (id: string) =>
      converseMessage(
        ['a', 'b'].map((toolUseId) => ({ toolUse: { toolUseId, name: 'lookup_order', input: { order_id: id } } })),
        'tool_use',
      ),
  ],
])('the cache of %s', (model, answer) => {
  it('is kept at the end of each request, and found where the one before has ended', async () => {
    const bodies = await bodiesOf(model, answer);
    expect(bodies.map(marked)).toEqual([[0], [0, 2], [2, 4], [4, 6]]);
    for (const { system } of bodies) expect(system.some(isMark)).toBe(true);
  });

  it('has the bytes of the request before, whatever is marked', async () => {
    const bodies = await bodiesOf(model, answer);
    const opening = bodies.map(({ system, tools, toolConfig }) => plain({ system, tools, toolConfig }));
    expect(new Set(opening).size).toBe(1);
    const conversations = bodies.map(({ messages }) => plain(messages));
    for (const [i, later] of conversations.slice(1, 3).entries())
      expect(later.startsWith((conversations[i] as string).slice(0, -1))).toBe(true);
    // The message stands in one message of the provider's with the results before it.
    expect(conversations[3]?.startsWith((conversations[2] as string).slice(0, -3))).toBe(true);
  });

  it('is not written for a request that stands alone', async () => {
    here.provider.play({ body: answer('A1') });
    await askModel(modelRequest(model, { view: () => [user('Sum up')], alone: true }));
    expect(JSON.stringify(here.provider.requests[0]?.body)).not.toMatch(/cache_control|cachePoint/);
  });
});

it.each(['bedrock/us.amazon.nova-pro-v1:0', 'bedrock/anthropic.claude-3-opus-20240229-v1:0'])(
  'no mark is put where it is not needed or not taken: %s',
  async (model) => {
    here.provider.play({ body: converseMessage([{ text: 'Here.' }]) });
    await askModel(modelRequest(model));
    expect(JSON.stringify(here.provider.requests[0]?.body)).not.toContain('cachePoint');
  },
);

it('no mark is put into messages of OpenAI', async () => {
  here.provider.play({ status: 500, body: {} });
  await askModel(modelRequest('openai/gpt-5'));
  expect(JSON.stringify(here.provider.requests[0]?.body)).not.toContain('cache');
});

it('what the cache gave is in the usage', async () => {
  const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 900, cache_creation_input_tokens: 90 };
  here.provider.play({ body: { ...anthropicMessage([text('Hm')], 'end_turn'), usage } });
  const { usage: counted } = replyRecord(2, await askModel(modelRequest('anthropic/claude-opus-5-5')));
  expect(counted).toMatchObject({ inputTokens: 1000, outputTokens: 5, cacheReadTokens: 900, cacheWriteTokens: 90 });
});
