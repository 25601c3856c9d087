import { describe, expect, it } from 'vitest';
import { askModel } from '../../../../lambdas/lib/model.ts';
import { groupEnds } from '../../../../shared/compaction.ts';
import { view } from '../../../../shared/view.ts';
import { viewLimits } from '../../../../shared/view-limits.ts';
import { fortyTurns } from '../../../support/long-logs.ts';
import { modelRequest } from '../../../support/model-request.ts';
import { DIALECTS } from '../../../support/provider-dialects.ts';
import { useProviderServer } from '../../../support/provider-environment.ts';

const here = useProviderServer();

const log = fortyTurns();
const ends = groupEnds(log, { after: 1, through: log.length });
const limits = viewLimits({ compaction: { atTokens: 4_000 } }, 'scripted/x');
const viewAfter = (seq: number, length = log.length) => view(log.slice(0, length), { limits, summary: { seq, text: 'Short.', facts: '' } });

describe.each(DIALECTS)('a summarized view for $model', ({ model, body, messages, opening }) => {
  const final = body('Done.');
  const ask = async (seq: number, length?: number) => {
    here.provider.play({ body: final });
    await askModel(modelRequest(model, { view: () => viewAfter(seq, length) }));
    expect(here.provider.refusals).toEqual([]);
  };

  it('is taken by the provider, wherever the summary ends', async () => {
    for (const seq of ends) await ask(seq);
    expect(here.provider.requests).toHaveLength(ends.length);
  });

  it('begins with the bytes of the step before, until the next summary', async () => {
    const steps = ends.filter((end) => end > 40 && log[end - 1]?.type === 'results');
    for (const length of steps) await ask(30, length);
    const bodies = here.provider.requests.map((request) => request.body);
    expect(new Set(bodies.map((one) => JSON.stringify(opening(one)))).size).toBe(1);
    // Marks for the cache are no part of what it holds.
    const unmarked = (key: string, value: unknown) => (key === 'cache_control' ? undefined : value);
    const blocks = bodies.map((one) => JSON.stringify(messages(one).flatMap(blocksOf), unmarked).slice(0, -1));
    for (const [i, later] of blocks.slice(1).entries()) expect(later.startsWith(blocks[i] as string)).toBe(true);
  });
});

/** What is said, block by block, and by whom: where one message of a provider ends and the next begins is no part of it. */
const blocksOf = (message: { readonly [field: string]: unknown }): unknown[] =>
  Array.isArray(message.content) ? message.content.map((block) => [message.role, block]) : [message];
