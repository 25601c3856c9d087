import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { draftReply } from '../../../lambdas/lib/judge.ts';
import { type AskSettings, defineAgent } from '../../../shared/agent.ts';
import { runRecord } from '../../../shared/record.ts';
import { type AnyTool, defineTool } from '../../../shared/tool.ts';
import { logOf, RUN_ID, task } from '../../support/log-builder.ts';

/** Judges a call of a tool, whose record must be fit to be kept. */
function judged(tool: AnyTool, asks: AskSettings = {}) {
  const agent = defineAgent({ name: 'tester', description: 'Tests', model: 'scripted/x', instructions: '', tools: [tool], asks });
  const calls = [{ providerId: 'c0', tool: tool.name, input: {} }];
  const given = { kind: 'reply', text: '', content: [], calls, finish: 'calls', usage: { inputTokens: 1, outputTokens: 1 } } as const;
  const draft = draftReply(
    { runId: RUN_ID, agent, log: logOf(task()) },
    { ...given, content: [], calls },
    { model: 'x', ms: 1, attempts: 1 },
  );
  runRecord.parse({ v: 1, seq: 2, at: 1, ...draft });
  return draft.calls[0];
}

const base = { name: 'pay', description: 'Pays', input: z.object({}), execute: () => 'paid' };
const guarded = (need: object) => defineTool({ ...base, effect: 'once', approval: () => ({ reason: 'It is dear', ...need }) });
const asking = (need: unknown) => defineTool({ ...base, effect: 'read', question: () => need as { text: string } });
const [ann, bob, cid] = ['ann@example.test', 'bob@example.test', 'cid@example.test'];

describe('consent that needs several people', () => {
  it('is asked of as many, or of more', () => {
    expect(judged(guarded({ needs: 2, approvers: [ann, bob] }))).toMatchObject({ approval: { needs: 2 } });
    expect(judged(guarded({ needs: 2, approvers: [ann], escalateTo: [bob] }))).not.toHaveProperty('invalid');
    expect(judged(guarded({ needs: 2 }))).not.toHaveProperty('invalid');
  });

  it.each([
    [{ needs: 3, approvers: [ann, bob] }, {}],
    [{ needs: 2 }, { approvers: [ann] }],
    [{ needs: 2, approvers: [ann, 'Ann@example.test'] }, {}],
    [{ needs: 3, approvers: [ann], escalateTo: [bob, ann] }, {}],
  ])('is asked of nobody when it can never be given: %j of %j', (need, asks) => {
    expect(judged(guarded(need), asks)?.invalid).toMatch(/^Not run: pay needs the yes of \d people, and .* name only \d who may be asked$/);
  });

  it.each([[0], [2.5], ['two'], [21]])('of %j people is asked of all there are', (needs) => {
    expect(judged(guarded({ needs, approvers: [ann, bob, cid] }))).toMatchObject({ approval: { needs: 3 } });
    expect(judged(guarded({ needs }))).toMatchObject({ approval: { needs: 20 } });
  });
});

describe('a question to a person', () => {
  it('has a text, and options where there are some', () => {
    expect(judged(asking({ text: 'Which?', options: ['a', 'b'] }))?.question).toMatchObject({ text: 'Which?', options: ['a', 'b'] });
    expect(judged(asking({ text: 'Which?', options: [] }))?.question).not.toHaveProperty('options');
  });

  it.each([[undefined], ['Which?'], [{}], [{ text: '' }], [{ text: 1 }], [{ text: 'Which?', options: [1] }]])(
    'that is none makes an invalid call: %j',
    (need) => {
      expect(judged(asking(need))?.invalid).toMatch(/cannot be checked: its question function must return a text/);
    },
  );

  it('that comes later is none either, and may fail unheard', () => {
    const tool = defineTool({ ...base, effect: 'read', question: () => Promise.reject(new Error('later')) as never });
    expect(judged(tool)?.invalid).toMatch(/cannot be checked: its question function must return a text/);
  });
});
