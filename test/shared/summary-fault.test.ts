import { expect, test } from 'vitest';
import { summaryFault } from '../../shared/summary-fault.ts';
import { viewLimits } from '../../shared/view-limits.ts';

const limits = viewLimits({ compaction: { atTokens: 4_000 } }, 'scripted/x');

test.each([
  ['refused', 'x', 'was refused by the model'],
  ['stop', ' \n', 'was empty'],
  ['cut', 'half a summ', 'was cut off at the output limit'],
  ['stop', 'a'.repeat(4_000), 'has about 1000 tokens, and may have 500'],
  ['stop', 'a'.repeat(1_200), 'has about 300 tokens, as many as what it sums up (300)'],
  ['stop', 'a'.repeat(1_100), undefined],
] as const)('summaryFault() of a %s summary', (finish, text, fault) => expect(summaryFault({ finish, text }, 300, limits)).toBe(fault));

test('summaryFault() of one that calls a tool, whatever it says', () =>
  expect(summaryFault({ finish: 'calls', text: 'Let me look that up.', calls: [{}] }, 300, limits)).toBe(
    'called a tool, and there is none',
  ));
