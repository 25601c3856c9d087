import { describe, expect, test } from 'vitest';
import { tokensOf } from '../../shared/tokens.ts';
import { summaryPrompt } from '../../shared/transcript.ts';
import {
  answering,
  asking,
  bad,
  call,
  calling,
  logOf,
  ok,
  replying,
  type Step,
  saying,
  settling,
  task,
  user,
} from '../support/log-builder.ts';

const wanted = { after: 1, instructions: 'You pay bills.', before: undefined, maxTokens: 2_000, summaryTokens: 400 };
const log = logOf(
  task({ pay: 'Ann' }),
  replying({
    text: 'I look first.',
    calls: [
      { index: 0, ...call('look', { input: { who: 'Ann' } }) },
      { index: 1, ...call('pay', { rawInput: '{"amount":' }) },
    ],
  }),
  asking({ index: 0 }),
  answering('approve'),
  settling(ok({ output: { owes: 12 }, edited: { by: 'Bob', input: { who: 'Anne' } } }), bad(1, { output: 'Not run' })),
  user('Please hurry'),
  saying('Done.'),
);

describe('summaryPrompt()', () => {
  test('summaryPrompt() shows task, instructions and the records as text', () => {
    const { text, instructions, through } = summaryPrompt(log, { ...wanted, through: 7 });
    expect(through).toBe(7);
    expect(instructions).toContain('only sum it up');
    expect(text).toContain('<instructions>\nYou pay bills.\n</instructions>');
    expect(text).toContain('<task>\n{\n "pay": "Ann"\n}\n</task>');
    expect(text).toContain(
      [
        '<conversation>',
        'Agent: I look first.',
        'Agent calls c2_0 look {"who":"Ann"}',
        'Agent calls c2_1 pay {"amount":',
        'Result of c2_0 look (with arguments that Bob changed to {"who":"Anne"}): {"owes":12}',
        'Error of c2_1 pay: Not run',
        'User: Please hurry',
        'Agent: Done.',
        '</conversation>',
      ].join('\n'),
    );
    expect(text).toMatch(/Sum up records 2 to 7 in at most \d+ words\.$/);
  });

  test('summaryPrompt() goes on from the summary so far', () => {
    const { text } = summaryPrompt(log, { ...wanted, after: 5, through: 7, before: 'Ann owes 12.' });
    expect(text).toContain('<summary_so_far>\nAnn owes 12.\n</summary_so_far>');
    expect(text).not.toContain('I look first');
    expect(text).toMatch(/records 6 to 7 together with the summary so far/);
  });

  test('summaryPrompt() takes as many whole groups as fit, and one in any case', () => {
    const turns = Array.from({ length: 50 }, (_, i): Step[] => [
      calling(call('look', { input: { i } })),
      settling(ok({ output: 'word '.repeat(80) })),
    ]);
    const long = logOf(task(), ...turns.flat());
    const some = summaryPrompt(long, { ...wanted, through: 101 });
    expect(some.through).toBeGreaterThan(3);
    expect(some.through).toBeLessThan(101);
    expect(long[some.through - 1]?.type).toBe('results');
    expect(tokensOf(some.text) + tokensOf(some.instructions)).toBeLessThan(wanted.maxTokens + 100);
    expect(summaryPrompt(long, { ...wanted, maxTokens: 1, through: 101 }).through).toBe(3);
  });

  test('summaryPrompt() asks for no more than half of what is summed up has, nor than it may have', () => {
    const wordsOf = (characters: number) => {
      const one = logOf(task(), calling(call('look')), settling(ok({ output: 'word '.repeat(characters / 5) })));
      return Number(/at most (\d+) words/.exec(summaryPrompt(one, { ...wanted, through: 3 }).text)?.[1]);
    };
    expect(wordsOf(1_500)).toBeLessThan(1_500 / 4 / 3);
    expect(wordsOf(1_500)).toBeGreaterThan(1_500 / 4 / 5);
    expect(wordsOf(10_000)).toBeLessThanOrEqual(200);
    expect(wordsOf(0)).toBe(25);
  });

  test('summaryPrompt() shows less of long instructions and of a long task in a small prompt', () => {
    const small = { ...wanted, instructions: 'Be brief. '.repeat(1_000), maxTokens: 500, through: 3 };
    const one = logOf(task('Do it all. '.repeat(1_000)), calling(call('look')), settling(ok({ output: 'word '.repeat(80) })));
    const prompt = summaryPrompt(one, small);
    expect(tokensOf(prompt.text)).toBeLessThan(500);
    expect(prompt.text).toContain('word word');
  });

  test('summaryPrompt() shows the beginning and the end of what is long', () => {
    const one = logOf(task(), calling(call('look')), settling(ok({ output: `first ${'word '.repeat(50_000)}last` })));
    const { text } = summaryPrompt(one, { ...wanted, through: 3 });
    expect(text).toMatch(/Result of c2_0 look: first word[\s\S]*characters left out[\s\S]*word last/);
    expect(text.length).toBeLessThan(10_000);
  });
});
