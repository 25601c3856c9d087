import { expect, test } from 'vitest';
import { textById } from '../../shared/text-by-id.ts';
import { call, calling, logOf, ok, saying, settling, task, user } from '../support/log-builder.ts';

const log = logOf(
  task({ pay: 'Ann' }),
  calling(call('look'), call('mail')),
  settling(ok({ output: 'seen' }), ok({ output: { sent: true } })),
  user('One', 'Two'),
  calling(call('look')),
);

test.each([
  ['c2_0', 'seen'],
  ['c2_1', '{"sent":true}'],
  ['m1_0', '{\n "pay": "Ann"\n}'],
  ['m4_1', 'Two'],
])('textById() finds %s', (id, text) => expect(textById(log, id)).toBe(text));

test.each(['c2_2', 'c5_0', 'c3_0', 'c99_0', 'm2_0', 'm4_2', 'm1_1', 'm99_0', 'nonsense'])('textById() finds nothing at %s', (id) =>
  expect(textById(log, id)).toBeUndefined(),
);

test('textById() takes no results of a later reply', () => {
  expect(textById(logOf(task(), calling(call()), saying('Hm'), calling(call()), settling(ok())), 'c2_0')).toBeUndefined();
});
