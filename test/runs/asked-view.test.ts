import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ShownSummary } from '../../shared/api.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { DIALECTS, type Dialect, providerVariables } from '../support/provider-dialects.ts';
import type { Fields } from '../support/provider-server/protocol.ts';
import { type Played, type ProviderServer, type RecordedRequest, startProviderServer } from '../support/provider-server.ts';

const TURNS = 18;

/** A request as the provider saw it. */
interface Asked {
  readonly body: Fields;
  readonly isSummary: boolean;
  /** Its number among the requests for replies, or for summaries, from 1. */
  readonly turn: number;
}

let provider: ProviderServer;
let machine: Machine;
let dialect: Dialect;
let asked: Asked[] = [];
/** What happens while a request is being answered. */
let meanwhile: (request: Asked) => Promise<void> | void;

beforeAll(async () => {
  provider = await startProviderServer(answer);
  machine = await startMachine(new URL('./asked-agents.ts', import.meta.url), { environment: providerVariables(provider.url) });
});
afterAll(async () => {
  await machine?.stop();
  await provider?.close();
});
beforeEach(() => {
  asked = [];
});

async function answer({ body }: RecordedRequest): Promise<Played> {
  const isSummary = JSON.stringify(body).includes('You keep the memory of an AI agent');
  const turn = asked.filter((each) => each.isSummary === isSummary).length + 1;
  const request = { body, isSummary, turn };
  asked.push(request);
  await meanwhile(request);
  return { body: counted(isSummary ? dialect.body(`Summary ${turn}: all is in order.`) : replyOf(turn), tokensOf(request)) };
}

function replyOf(turn: number): Fields {
  if (turn >= TURNS) return dialect.body('All is looked up.');
  const plan = { items: [{ text: 'look everything up', status: 'doing' }] };
  const [tool, input] = turn === 1 ? ['set_plan', plan] : ['look_up', { item: `item ${turn}` }];
  return dialect.body(`Turn ${turn}.`, ['call_0', tool as string, JSON.stringify(input)]);
}

const tokensOf = ({ body }: Pick<Asked, 'body'>): number => Math.ceil(JSON.stringify(body).length / 4);

/** Counts as providers do: the tokens of what was sent. */
function counted(body: Fields, tokens: number): Fields {
  const name = ['prompt_tokens', 'inputTokens'].find((each) => each in body.usage) ?? 'input_tokens';
  return { ...body, usage: { ...body.usage, [name]: tokens, ...(dialect.model.startsWith('anthropic') ? UNCACHED : {}) } };
}
const UNCACHED = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

/** Plays a run to its end. */
async function played(i: number, then: (runId: string, request: Asked) => Promise<void> | void): Promise<string> {
  dialect = DIALECTS[i] as Dialect;
  let started: Promise<string> | undefined;
  meanwhile = async (request) => then((await started) as string, request);
  started = machine.api.start(`asked-${i}`, 'Go through the archive.');
  expect(await machine.api.until(await started, 'completed', 'waiting', 'failed')).toMatchObject({ status: 'completed' });
  expect(provider.refusals).toEqual([]);
  return started;
}

const summariesOf = async (runId: string) =>
  (await machine.api.call<{ summaries: ShownSummary[] }>('GET', `/runs/${runId}/summaries`)).body.summaries;
const discard = (runId: string, seq: number | undefined, how = 'discard') =>
  machine.api.call('POST', `/runs/${runId}/summaries/${seq}/${how}`, { by: 'Ada' });

/** What stands in a request, block by block, without the marks of caches: two messages of one role may be sent as one. */
const blocksOf = ({ body }: Asked): string[] =>
  dialect.messages(body).flatMap(({ role, content, ...more }) => {
    const parts: Fields[] = Array.isArray(content) ? content : [{ content, ...more }];
    return parts.filter(({ cachePoint }) => !cachePoint).map(({ cache_control: _, ...part }) => JSON.stringify([role, part]));
  });

const openingOf = ({ body }: Asked): string =>
  JSON.stringify(dialect.opening(body), (key, value) => (key === 'cache_control' ? undefined : value));

describe.each(DIALECTS.map(({ model }, i) => [model, i] as const))('the requests of a long run to %s', (_, i) => {
  it('begin with the bytes of the one before, but after a summary; also with a message, and from another process', async () => {
    await played(i, async (runId, { isSummary, turn }) => {
      if (!isSummary && turn === 3) await machine.api.call('POST', `/runs/${runId}/messages`, { text: 'Please hurry' });
      if (!isSummary && turn === 5) for (const pid of machine.host.info().workers['model-step'] ?? []) process.kill(pid, 'SIGKILL');
      if (isSummary && turn === 1) await machine.api.call('POST', `/runs/${runId}/messages`, { text: 'Faster still' });
    });
    expect(asked.filter(({ isSummary }) => isSummary).length).toBeGreaterThan(1);
    const replies = asked.filter(({ isSummary }) => !isSummary);
    expect(new Set(replies.map(openingOf)).size).toBe(1);
    for (const [at, request] of asked.entries()) {
      const before = asked[at - 1];
      if (!before || request.isSummary || before.isSummary) continue;
      expect(blocksOf(request).slice(0, blocksOf(before).length)).toEqual(blocksOf(before));
    }
    expect(Math.max(...replies.map(tokensOf))).toBeLessThan(1_500 + 200);
    const [first, again] = replies.filter(({ turn }) => turn === 5 || turn === 6);
    expect(blocksOf(again as Asked)).toEqual(blocksOf(first as Asked));
    for (const said of ['Please hurry', 'Faster still']) expect(JSON.stringify(replies.at(-1)?.body)).toContain(said);
  });
});

describe('a summary that is thrown away while the run works', () => {
  const shows = (text: string) => asked.flatMap(({ body }, at) => (JSON.stringify(body).includes(text) ? [at] : []));

  it('is in no request from then on, and neither is one that was being made from it', async () => {
    let discarded = Number.POSITIVE_INFINITY;
    const runId = await played(0, async (id, { isSummary, turn }) => {
      if (!isSummary || turn !== 2) return;
      discarded = asked.length - 1;
      expect((await discard(id, (await summariesOf(id)).at(-1)?.seq)).status).toBe(202);
    });
    expect(shows('Summary 1:').every((at) => at <= discarded)).toBe(true);
    expect(shows('Summary 2:')).toEqual([]);
    const run = await machine.api.show(runId);
    const summaries = await summariesOf(runId);
    expect(summaries.find(({ current }) => current)?.text).toMatch(/^Summary [3-9]:/);
    // What was made in vain counts as well.
    expect(run.totals.inputTokens).toBe(asked.reduce((sum, request) => sum + tokensOf(request), 0));
  });

  it('is made anew by the next step when somebody wants that, and not only noted', async () => {
    const runId = await played(0, async (id, { isSummary, turn }) => {
      if (isSummary && turn === 2) expect((await discard(id, (await summariesOf(id)).at(-1)?.seq, 'remake')).status).toBe(202);
    });
    expect((await summariesOf(runId))[0]).toMatchObject({ version: 2, text: expect.stringMatching(/^Summary 3:/) });
    expect(shows('Summary 2:')).toEqual([]);
  });
});
