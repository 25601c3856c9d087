import { describe, expect, test } from 'vitest';
import { planIn, planOf, planSeq, planText } from '../../shared/plan.ts';
import { call, calling, logOf, ok, saying, settling, task, wrote } from '../support/log-builder.ts';

const items = (...texts: string[]) => ({ items: texts.map((text) => ({ text, status: 'open' as const })) });
const planning = (...texts: string[]) => call('set_plan', { input: items(...texts), class: 'read' });

describe('planOf()', () => {
  const log = logOf(
    task(),
    calling(planning('look')),
    settling(ok()),
    calling(call('pay')),
    settling(wrote('done', 4)),
    calling(planning('first'), planning('pay', 'mail')),
    settling(ok(), ok()),
    saying('Done'),
  );

  test('planOf() is the input of the latest call of set_plan', () => {
    expect(planOf(log)).toEqual(items('pay', 'mail'));
    expect(planSeq(log)).toBe(6);
    expect(planIn(log[5])).toEqual(items('pay', 'mail'));
  });

  test('planOf() knows the plan that stood at an earlier record', () => {
    expect(planOf(log, 5)).toEqual(items('look'));
    expect(planOf(log, 1)).toBeUndefined();
  });

  test('planOf() takes no plan from a call that never ran or is no list of items', () => {
    const wrong = logOf(
      task(),
      calling(planning('look')),
      settling(ok()),
      calling({ ...planning('x'), invalid: 'Not run' }),
      settling(ok()),
    );
    expect(planOf(wrong)).toEqual(items('look'));
    expect(planOf(logOf(task(), calling(call('set_plan', { input: { anything: 1 } })), settling(ok())))).toBeUndefined();
    expect(planSeq(logOf(task()))).toBeUndefined();
  });
});

test('planText() shows one line for each item, with its status', () => {
  const all = { items: (['done', 'doing', 'open', 'dropped'] as const).map((status) => ({ text: `is ${status}`, status })) };
  expect(planText(all)).toBe('[x] is done\n[~] is doing\n[ ] is open\n[-] is dropped');
  expect(planText({ items: [] })).toBe('(empty)');
});
