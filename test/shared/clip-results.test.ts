import { describe, expect, test } from 'vitest';
import { clipResults, DEFAULT_OUTPUT_CHARACTERS, outputText } from '../../shared/clip-results.ts';
import type { Json } from '../../shared/json.ts';
import type { Reply, Results } from '../../shared/record.ts';
import type { ModelOutput } from '../../shared/tool.ts';
import { viewLimits } from '../../shared/view-limits.ts';
import { call, calling, logOf, ok, settling, task } from '../support/log-builder.ts';

const megabyte = `${'a line of no interest\n'.repeat(50_000)}the end is what matters`;
const limits = viewLimits({}, 'anthropic/claude-opus-5');

/** Results with these outputs, as they are shown. */
function shown(outputs: Json[], settings: ModelOutput | undefined = undefined, more: { canRead?: boolean; edited?: Json } = {}) {
  const edited = more.edited === undefined ? {} : { edited: { by: 'Ann', input: more.edited } };
  const log = logOf(task(), calling(...outputs.map(() => call('look'))), settling(...outputs.map((output) => ok({ output, ...edited }))));
  const { results } = log[2] as Results;
  const all = clipResults(log[1] as Reply, results, { limits, outputs: () => settings, canRead: more.canRead ?? true });
  return { results, all, texts: all.map(({ output }) => outputText(output)) };
}

describe('clipResults()', () => {
  test('clipResults() leaves outputs that are short enough as they are', () => {
    const { all, results } = shown([{ found: 1 }, 'text', null]);
    expect(all).toEqual(results);
  });

  test('clipResults() shows of a megabyte the beginning, the end, its true size, and how to read the rest', () => {
    const { texts, results } = shown([megabyte]);
    expect(texts[0]?.length).toBeLessThanOrEqual(DEFAULT_OUTPUT_CHARACTERS);
    expect(texts[0]).toMatch(
      /^a line[\s\S]*of 1100023 characters left out; read_result reads on with \{"id":"c2_0","from":\d+\}[\s\S]*the end is what matters$/,
    );
    expect(results[0]?.output).toBe(megabyte);
  });

  test('clipResults() names no tool that the agent does not have', () => {
    expect(shown([megabyte], undefined, { canRead: false }).texts[0]).toMatch(/of 1100023 characters left out …/);
  });

  test('clipResults() clips an object by its JSON', () => {
    expect(shown([{ lines: megabyte }]).texts[0]).toMatch(/^\{"lines":"a line[\s\S]*what matters"\}$/);
  });

  test('clipResults() keeps to what a tool says of its outputs', () => {
    expect(shown([megabyte], { maxCharacters: 500 }).texts[0]?.length).toBeLessThanOrEqual(500);
    expect(shown([megabyte], { maxCharacters: 600, clip: (text, max) => text.slice(-max) }).texts[0]).toBe(megabyte.slice(-600));
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['gives too much', (text: string) => text],
    ['gives no text', () => 7 as unknown as string],
  ])("clipResults() clips by itself where an author's function %s", (_, clip) => {
    expect(shown([megabyte], { maxCharacters: 700, clip }).texts[0]).toMatch(/^a line[\s\S]*left out[\s\S]*matters$/);
  });

  test('clipResults() shares out what one record is shown with', () => {
    const { texts } = shown(Array.from({ length: 10 }, () => megabyte));
    expect(texts.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(limits.messageCharacters);
    expect(new Set(texts.map(({ length }) => length)).size).toBe(1);
  });

  test('clipResults() clips the arguments that a person put in place', () => {
    const [result] = shown(['short'], undefined, { edited: { text: megabyte } }).all;
    expect(String(result?.edited?.input)).toMatch(/characters left out/);
    expect(shown(['short'], undefined, { edited: { text: 'x' } }).all[0]?.edited?.input).toEqual({ text: 'x' });
  });

  test('clipResults() gives the very same for the same results, and measures them but once', () => {
    const log = logOf(task(), calling(call('look')), settling(ok({ output: megabyte })));
    const { results } = log[2] as Results;
    let measured = 0;
    const outputs = () => ({ clip: (text: string, max: number) => text.slice(0, max - ++measured) });
    const first = clipResults(log[1] as Reply, results, { limits, outputs });
    expect(clipResults(log[1] as Reply, results, { limits, outputs })).toBe(first);
    expect(measured).toBe(1);
    expect(clipResults(log[1] as Reply, results, { limits, outputs, canRead: true })).not.toBe(first);
  });
});
