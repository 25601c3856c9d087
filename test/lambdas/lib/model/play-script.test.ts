import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { askModel } from '../../../../lambdas/lib/model.ts';
import type { Script } from '../../../../shared/model.ts';
import { asReply, modelRequest } from '../../../support/model-request.ts';

const play = (script: Script | undefined) => askModel(modelRequest('scripted/refunds', { script }));

describe('playScript() plays', () => {
  it('a text as a final reply', async () => {
    expect(await play(() => ({ text: 'Done.' }))).toEqual({
      kind: 'reply',
      text: 'Done.',
      content: [{ type: 'text', text: 'Done.' }],
      calls: [],
      finish: 'stop',
      usage: { inputTokens: 0, outputTokens: 2 },
    });
  });

  it('calls, with ids of its own or those of the script', async () => {
    const reply = asReply(
      await play(() => ({
        calls: [
          { tool: 'a', input: { x: 1 } },
          { tool: 'b', id: 'mine' },
        ],
      })),
    );
    expect(reply.finish).toBe('calls');
    expect(reply.calls).toEqual([
      { providerId: 'call_0', tool: 'a', input: { x: 1 } },
      { providerId: 'mine', tool: 'b', input: {} },
    ]);
  });

  it.each([
    ['', { input: {} }],
    ['{"a":', { rawInput: '{"a":' }],
  ])('raw arguments %j by the rule for all models', async (rawInput, expected) => {
    const reply = asReply(await play(() => ({ calls: [{ tool: 'a', rawInput }] })));
    expect(reply.calls[0]).toEqual({ providerId: 'call_0', tool: 'a', ...expected });
  });

  it('a finish of its own', async () => {
    expect(asReply(await play(() => ({ finish: 'cut' }))).finish).toBe('cut');
  });

  it('the situation', async () => {
    expect(asReply(await play(({ input, attempt }) => ({ text: `${input} ${attempt}` }))).text).toBe('Where is order A1? 1');
  });

  it('faults of a provider', async () => {
    expect(await play(() => ({ overloaded: 'busy', waitSeconds: 3 }))).toEqual({ kind: 'overloaded', reason: 'busy', waitSeconds: 3 });
    expect(await play(() => ({ overloaded: 'busy' }))).toEqual({ kind: 'overloaded', reason: 'busy' });
    expect(await play(() => ({ rejected: 'billing', reason: 'no credit' }))).toEqual({
      kind: 'rejected',
      code: 'billing',
      reason: 'no credit',
    });
  });

  it('a script that throws as a rejection', async () => {
    const outcome = await play(() => {
      throw new Error('no line for turn 7');
    });
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'bad-request', reason: expect.stringContaining('no line for turn 7') });
  });

  it('no script as a missing key, with the variables that would do', async () => {
    const outcome = await play(undefined);
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'missing-key' });
    expect(outcome).toMatchObject({ reason: expect.stringMatching(/ANTHROPIC_API_KEY.*HOLDFAST_BEDROCK.*OPENAI_API_KEY/) });
  });

  it("without loading any provider's library", async () => {
    const root = new URL('../../../../', import.meta.url);
    const code = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ resolve: (name, context, next) => { const found = next(name, context); loaded.push(found.url); return found; } });
      const { askModel } = await import('./lambdas/lib/model.ts');
      const outcome = await askModel({ model: 'scripted/a', script: () => ({ text: 'hi' }), situation: {} });
      console.log(JSON.stringify({ outcome: outcome.kind, loaded }));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: root });
    const { outcome, loaded } = JSON.parse(stdout);
    expect(outcome).toBe('reply');
    expect(loaded.filter((url: string) => /node_modules\/(ai|@ai-sdk)\//.test(url))).toEqual([]);
  });
});
