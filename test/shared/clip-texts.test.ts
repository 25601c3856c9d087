import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clipReply, clipTexts, shareOf } from '../../shared/clip-texts.ts';
import type { Reply } from '../../shared/record.ts';
import { plainLength } from '../../shared/tokens.ts';
import { viewLimits } from '../../shared/view-limits.ts';
import { logOf, replying, task } from '../support/log-builder.ts';

const long = (length: number) => 'abcdefghi '.repeat(length / 10);

describe('clipTexts()', () => {
  test('clipTexts() leaves texts that fit together as they are', () => {
    const texts = [long(500), 'b'];
    expect(clipTexts(texts, 501)).toBe(texts);
  });

  test('clipTexts() cuts the longest to the same length, and leaves short ones whole', () => {
    const texts = clipTexts([long(5000), 'b', long(3000), long(500)], 2000, (index) => () => `read ${index}`);
    expect(texts.map(({ length }) => length)).toEqual([expect.any(Number), 1, expect.any(Number), 500]);
    for (const at of [0, 2]) expect(plainLength(texts[at] ?? '')).toBeLessThanOrEqual(749);
    for (const at of [0, 2]) expect(texts[at]?.length).toBeGreaterThan(700);
    expect(texts[0]).toContain('read 0');
    expect(texts[1]).toBe('b');
  });
});

test('clipTexts() gives texts of many tokens fewer characters', () => {
  for (const dense of ['返金', '🎉', 'Zm9vYmFy', '{"id":17}'].map((unit) => unit.repeat(2_000))) {
    const [shown = ''] = clipTexts([dense], 2_000);
    expect(plainLength(shown)).toBeLessThanOrEqual(2_000);
    expect(plainLength(shown)).toBeGreaterThan(1_600);
    expect(shown.isWellFormed()).toBe(true);
  }
});

describe('shareOf()', () => {
  const lengths = fc.array(fc.nat(1_000), { maxLength: 20 });

  test('shareOf() uses the room up, and never more', () => {
    fc.assert(
      fc.property(lengths, fc.nat(5_000), (all, max) => {
        const total = (share: number) => all.reduce((sum, length) => sum + Math.min(length, share), 0);
        const share = shareOf(all, max);
        expect(total(share)).toBeLessThanOrEqual(max);
        if (share < Number.POSITIVE_INFINITY) expect(total(share + 1)).toBeGreaterThan(max);
      }),
    );
  });
});

describe('clipReply()', () => {
  const limits = viewLimits({ compaction: { atTokens: 4_000 } }, 'scripted/x');
  const replyOf = (...content: Reply['content']) => logOf(task(), replying({ content, text: 'x' }))[1] as Reply;
  const call = (input: string) => ({ type: 'tool-call', toolCallId: 'call_0', toolName: 'write', input });

  test('clipReply() returns the very reply when it is short enough, or when nothing limits it', () => {
    const reply = replyOf({ type: 'text', text: long(3000) });
    expect(clipReply(reply, limits)).toBe(reply);
    expect(clipReply(replyOf({ type: 'text', text: long(90_000) }), undefined).content).toMatchObject([{ text: long(90_000) }]);
  });

  test('clipReply() clips texts and arguments, which stay an object, and leaves what was thought whole', () => {
    const thought = { type: 'reasoning', text: long(9000), providerMetadata: { anthropic: { signature: 'sig' } } };
    const reply = replyOf(thought, { type: 'text', text: 'Now I write.' }, call(JSON.stringify({ file: long(90_000) })));
    const shown = clipReply(reply, limits);
    expect(shown.content.slice(0, 2)).toEqual([thought, { type: 'text', text: 'Now I write.' }]);
    const { clipped } = JSON.parse((shown.content[2] as { input: string }).input);
    expect(clipped).toMatch(/^\{"file":"abc[\s\S]*characters left out[\s\S]*ghi "\}$/);
    expect(JSON.stringify(shown.content).length).toBeLessThan(9000 + limits.replyCharacters + 500);
    expect(reply.content).toHaveLength(3);
    expect((reply.content[2] as { input: string }).input).toHaveLength(90_011);
  });
});
