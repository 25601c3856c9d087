import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Committed } from '../../shared/committed.ts';
import { effectFacts, factsOf, messageFacts, planFacts } from '../../shared/facts.ts';
import { plainLength } from '../../shared/tokens.ts';
import { text } from '../support/generators.ts';
import { call, calling, logOf, ok, settling, task, user, wrote } from '../support/log-builder.ts';

const effect = (seq: number, more: Partial<Committed> = {}): Committed => ({
  seq,
  index: 0,
  tool: 'pay',
  input: { amount: seq },
  output: `receipt ${seq}`,
  ok: true,
  key: `run/${seq}/0`,
  state: 'done',
  ...more,
});

describe('factsOf()', () => {
  const plan = call('set_plan', { class: 'read', input: { items: [{ text: 'pay Ann', status: 'doing' }] } });
  const log = logOf(
    task(),
    calling(plan),
    settling(ok()),
    calling(call('pay')),
    settling(wrote('done', 4)),
    user('Hurry'),
    calling(call('pay')),
  );

  test('factsOf() gives plan, effects and messages as they stood', () => {
    expect(factsOf(log, 6, 4_000)).toBe(
      'Your plan, as you set it last:\n[~] pay Ann\n\n' +
        'What you have done outside so far, none of which may be done again:\nc4_0 pay {"amount":1} -> done\n\n' +
        'What you were told after the task:\nm6_0 Hurry',
    );
    expect(factsOf(log, 3, 4_000)).toBe('Your plan, as you set it last:\n[~] pay Ann');
    expect(factsOf(log, 1, 4_000)).toBe('');
  });
});

describe('effectFacts()', () => {
  test('effectFacts() shows the newest in full, older ones by name, and the number of the oldest', () => {
    const all = Array.from({ length: 1_000 }, (_, i) => effect(i + 2, i % 2 ? { tool: 'mail' } : {}));
    const [, counts, ...lines] = effectFacts(all, 4_000).split('\n');
    const [, counted] = /^(\d+) before these: pay \d+, mail \d+$/.exec(counts as string) ?? [];
    expect(Number(counted) + lines.length).toBe(1_000);
    expect(lines.at(-1)).toBe('c1001_0 mail {"amount":1001} -> receipt 1001');
    expect(lines[0]).toMatch(/^c\d+_0 (pay|mail) \{"amount":\d+\}$/);
  });

  test('effectFacts() says of an open outcome that nobody knows it', () => {
    expect(effectFacts([effect(2, { state: 'unknown', output: 'cut off' })], 1_000)).toMatch(/c2_0 pay \{"amount":2\} -> nobody knows/);
    expect(effectFacts([], 1_000)).toBe('');
  });

  test('effectFacts() takes no more than its room and leaves out none uncounted', () => {
    const effects = fc.array(fc.record({ input: text, output: text, tool: fc.constantFrom('pay', 'mail') }), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(effects, fc.integer({ min: 300, max: 3_000 }), (given, room) => {
        const all = given.map((each, i) => effect(i + 2, each));
        const facts = effectFacts(all, room);
        expect(plainLength(facts)).toBeLessThanOrEqual(room);
        const listed = facts.split('\n').filter((line) => /^c\d+_\d+ /.test(line)).length;
        expect(listed + Number(/^(\d+) before these/m.exec(facts)?.[1] ?? 0)).toBe(all.length);
      }),
    );
  });
});

describe('planFacts()', () => {
  const item = (text: string) => ({ text, status: 'open' as const });

  test('planFacts() gives every item a share of the room', () => {
    const facts = planFacts({ items: Array.from({ length: 20 }, (_, i) => item(`${i} ${'word '.repeat(80)}`)) }, 2_000);
    expect(facts.length).toBeLessThanOrEqual(2_000);
    expect(facts.match(/^\[ \] \d+ word/gm)).toHaveLength(20);
  });

  test('planFacts() says how many items find no room', () => {
    const facts = planFacts({ items: Array.from({ length: 100 }, (_, i) => item(`${i} ${'word '.repeat(80)}`)) }, 500);
    expect(facts.length).toBeLessThanOrEqual(500);
    expect(facts).toMatch(/^\[ \] 0 word[\s\S]*\nand \d+ more items$/m);
  });
});

test('messageFacts() keeps the newest of what was said', () => {
  const log = logOf(task(), ...Array.from({ length: 30 }, (_, i) => user(`Message ${i} ${'word '.repeat(40)}`)));
  const facts = messageFacts(log, log.length, 1_000);
  expect(facts.length).toBeLessThanOrEqual(1_000);
  expect(facts).toContain('m31_0 Message 29');
  expect(facts).not.toContain('Message 0 ');
  expect(messageFacts(logOf(task()), 1, 1_000)).toBe('');
});
