import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type AgentDefinition, defineAgent } from '../../shared/agent.ts';
import { changesBetween, changesText } from '../../shared/drift.ts';
import { pinnedOf } from '../../shared/pinned.ts';
import { type AnyTool, defineTool } from '../../shared/tool.ts';

const refund = (more: object = {}): AnyTool =>
  defineTool({
    name: 'issue_refund',
    description: 'Refunds',
    effect: 'once',
    input: z.object({ order: z.string() }),
    execute: () => null,
    ...more,
  } as AnyTool);

const side = (more: Partial<AgentDefinition> = {}, model = 'scripted/a') => ({
  model,
  pinned: pinnedOf(defineAgent({ name: 'a', description: 'A', model: 'scripted/a', instructions: 'Be kind', tools: [refund()], ...more })),
});

describe('changesBetween()', () => {
  const of = (more: Partial<AgentDefinition>) => changesBetween(side(), side(more));
  const ofTool = (more: object) => of({ tools: [refund(more)] });

  test('finds none where all is the same', () => expect(of({})).toEqual([]));

  test('names another model', () =>
    expect(changesBetween(side(), side({}, 'anthropic/b'))).toEqual(['model: scripted/a became anthropic/b']));

  test('quotes instructions of one line, and shows longer ones line by line', () => {
    expect(of({ instructions: 'Be quick' })).toEqual(['instructions: "Be kind" became "Be quick"']);
    const [long, longer] = [side({ instructions: 'One\nTwo\nThree' }), side({ instructions: 'One\n2\nThree' })];
    expect(changesBetween(long, longer)).toEqual(['instructions:\n- Two\n+ 2']);
  });

  test('shows blanks where nothing else is different', () => {
    const [before, after] = [side({ instructions: 'One\nTwo' }), side({ instructions: 'One \nTwo' })];
    expect(changesBetween(before, after)).toEqual(['instructions, in blanks alone:\n- "One"\n+ "One "']);
  });

  test('names other settings of the model', () =>
    expect(of({ modelSettings: { maxOutputTokens: 9 } })).toEqual(['settings of the model: {} became {"maxOutputTokens":9}']));

  test('names a tool that is gone and one that is new', () =>
    expect(ofTool({ name: 'refund' })).toEqual(['tool issue_refund is gone', 'tool refund is new']));

  test('names fields of a tool that are new, gone, required or of another kind', () => {
    const order = z.string();
    expect(ofTool({ input: z.object({ order, reason: z.string() }) })).toEqual(['tool issue_refund: new required field "reason"']);
    expect(ofTool({ input: z.object({ order, reason: z.string().optional() }) })).toEqual(['tool issue_refund: new field "reason"']);
    expect(ofTool({ input: z.object({}) })).toEqual(['tool issue_refund: field "order" is gone']);
    expect(ofTool({ input: z.object({ order: order.optional() }) })).toEqual(['tool issue_refund: field "order" is no longer required']);
    expect(ofTool({ input: z.object({ order: z.boolean() }) })).toEqual([
      'tool issue_refund: field "order": {"type":"string"} became {"type":"boolean"}',
    ]);
  });

  test('tells what else a schema says as a whole', () =>
    expect(ofTool({ input: z.looseObject({ order: z.string() }) })[0]).toMatch(/^tool issue_refund: its schema .* became /));

  test('names another class, approval, answer to repeats, and description', () => {
    expect(ofTool({ effect: 'idempotent' })).toEqual(['class of issue_refund: once became idempotent']);
    expect(ofTool({ approval: 'always' })).toEqual(['approval of issue_refund: never became always']);
    expect(ofTool({ onRepeat: 'ask' })).toEqual(['onRepeat of issue_refund: run became ask']);
    expect(ofTool({ description: 'Pays back' })).toEqual(['description of issue_refund: "Refunds" became "Pays back"']);
  });

  test('names another order of the tools: the model is told of them in order', () => {
    const [one, two] = [refund(), refund({ name: 'other' })];
    expect(changesBetween(side({ tools: [one, two] }), side({ tools: [two, one] }))).toEqual(['the order of the tools is another']);
  });
});

test('changesText() cuts what is too long to be read at once, and says so', () => {
  expect(changesText(['a', 'b\n- c'])).toBe('- a\n- b\n  - c');
  expect(changesText(['x'.repeat(10_000)])).toMatch(/\(cut: 10002 characters in all\)$/);
});
