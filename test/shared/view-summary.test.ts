import { expect, test } from 'vitest';
import { summaryText } from '../../shared/view-summary.ts';

test('summaryText() says what it stands in place of, and gives the facts after it', () => {
  expect(summaryText({ seq: 9, text: 'Ann was paid.', facts: 'Your plan: none' })).toBe(
    '(The work so far is longer than you can be shown. Records 2 to 9 of it are summed up here, by you; what came after follows as it was.)\n\n' +
      '<summary>\nAnn was paid.\n</summary>\n\nYour plan: none',
  );
  expect(summaryText({ seq: 9, text: 'x', facts: '' })).toMatch(/<\/summary>$/);
});
