import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { concealReply, describe as describeTool } from '../../shared/conceal.ts';
import type { Json } from '../../shared/json.ts';
import type { Call, Draft, Reply } from '../../shared/record.ts';
import { MASK } from '../../shared/secrets.ts';
import { defineTool } from '../../shared/tool.ts';

const setKey = defineTool({
  name: 'set_key',
  description: 'Sets a key',
  effect: 'once',
  input: z.object({ key: z.string() }),
  secrets: ['key'],
  secretOutput: ['token'],
  execute: () => 'set',
});
const note = defineTool({
  name: 'note',
  description: 'Notes',
  effect: 'read',
  input: z.object({ text: z.string() }),
  execute: () => 'noted',
});

const KEY = 'sk-test-0000';
const callOf = (index: number, tool: string, input: Json, more: Partial<Call> = {}): Call => ({
  index,
  providerId: `call_${index}`,
  tool,
  input,
  inputHash: 'plain',
  class: 'once',
  ...more,
});

/** A reply with these calls, and with parts before them. */
const draftOf = (calls: Call[], parts: Json[] = [], text = ''): Draft<Reply> => ({
  type: 'reply',
  text,
  content: [
    ...parts,
    ...calls.map(({ tool, input, rawInput }) => ({ type: 'tool-call', toolName: tool, input: rawInput ?? JSON.stringify(input) })),
  ],
  calls,
  finish: 'calls',
  usage: { inputTokens: 0, outputTokens: 0 },
  model: 'scripted/x',
  ms: 0,
  attempts: 1,
});
const conceal = (draft: Draft<Reply>) => concealReply([setKey, note], draft, () => 'keyed');

describe('concealReply()', () => {
  it('changes nothing of a reply whose calls have no secrets', () => {
    const draft = draftOf([callOf(0, 'note', { text: 'hello' })], [{ type: 'text', text: 'Hello' }], 'Hello');
    expect(conceal(draft)).toEqual({ draft, kept: [] });
  });

  it('takes what a tool marks out of the call, and the same text out of all that the reply says', () => {
    const reasoning = { type: 'reasoning', text: `The key is ${KEY}`, providerMetadata: { anthropic: { signature: 'abc' } } };
    const { draft, kept } = conceal(draftOf([callOf(0, 'set_key', { key: KEY })], [reasoning], `I use ${KEY}`));
    expect(JSON.stringify(draft)).not.toContain(KEY);
    expect(draft.content[0]).toEqual({ type: 'reasoning', text: `The key is ${MASK}` });
    expect(draft.calls[0]).toMatchObject({ input: { key: MASK }, secrets: ['/key'], secretOutput: ['token'] });
    expect(kept).toEqual([{ index: 0, inputHash: 'plain', secrets: { '/key': KEY } }]);
  });

  it('leaves what was thought as it was signed when no secret is in it', () => {
    const reasoning = { type: 'reasoning', text: 'I set it', providerMetadata: { anthropic: { signature: 'abc' } } };
    expect(conceal(draftOf([callOf(0, 'set_key', { key: KEY })], [reasoning])).draft.content[0]).toEqual(reasoning);
  });

  it('takes it out of another call too, which is then known by a hash with a key', () => {
    const { draft, kept } = conceal(draftOf([callOf(0, 'set_key', { key: KEY }), callOf(1, 'note', { text: `It is ${KEY}` })]));
    expect(draft.calls[1]).toMatchObject({ input: { text: MASK }, inputHash: 'keyed', secrets: ['/text'] });
    expect(kept[1]).toEqual({ index: 1, inputHash: 'keyed', secrets: { '/text': `It is ${KEY}` } });
  });

  it('keeps nothing of arguments that are no JSON, or not valid', () => {
    const raw = callOf(0, 'set_key', null, { rawInput: `{"key":"${KEY}`, invalid: 'Not run' });
    const wrong = callOf(1, 'set_key', { kye: KEY }, { invalid: `Not run: there is no "${KEY}"` });
    const { draft, kept } = conceal(draftOf([raw, wrong]));
    expect(JSON.stringify(draft)).not.toContain(KEY);
    expect(kept).toEqual([]);
  });

  it('keeps nothing of the arguments of a tool that is not there: it may be a misspelt one', () => {
    const calls = [
      callOf(0, 'setkey', { key: KEY, for: 'orders' }, { invalid: 'Not run' }),
      callOf(1, 'set-key', null, { rawInput: `{"key":"${KEY}`, invalid: 'Not run' }),
    ];
    const { draft, kept } = conceal(draftOf([...calls, callOf(2, 'note', { text: 'of orders' })], [], 'The orders'));
    expect(JSON.stringify(draft)).not.toContain(KEY);
    expect(draft).toMatchObject({ text: 'The orders', calls: [{ input: { key: MASK, for: MASK } }, {}, { input: { text: 'of orders' } }] });
    expect(kept).toEqual([]);
  });

  it('masks what the author says of the call', () => {
    const approval = { reason: `It sets ${KEY}` };
    expect(conceal(draftOf([callOf(0, 'set_key', { key: KEY }, { approval })])).draft.calls[0]?.approval).toEqual({
      reason: `It sets ${MASK}`,
    });
  });
});

describe('describe()', () => {
  it('tells the model of a mask, and says of other tools what their authors do', () => {
    expect(describeTool(note)).toBe('Notes');
    expect(describeTool(setKey)).toMatch(/^Sets a key\n\nSecret: `key`, `token` of its output\. You are shown \[secret\]/);
  });
});
