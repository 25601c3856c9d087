import { describe, expect, test } from 'vitest';
import { textOf } from '../../console/html.ts';
import { told } from '../../console/told.ts';
import type { NoticeSummary } from '../../shared/api.ts';
import { HOSTILE } from './hostile-texts.ts';
import { shapeOf } from './markup-shape.ts';

const AT = Date.UTC(2026, 10, 30, 9, 30);
const shown = (...notices: NoticeSummary[]) => {
  const section = told(notices);
  return section ? textOf(section) : '';
};

describe('told()', () => {
  test.each<[NoticeSummary, string]>([
    [{ recipient: 'ada@example.com', state: 'sent', sentAt: AT }, 'ada@example.com: sent on 2026-11-30 09:30 UTC'],
    [
      { recipient: 'ada@example.com', state: 'sent', sentAt: AT, again: { by: 'kim', at: AT } },
      'ada@example.com: sent on 2026-11-30 09:30 UTC, as kim asked',
    ],
    [
      { recipient: 'bob@example.com', state: 'failed', error: 'No such user', nextTryAt: AT },
      'bob@example.com: not reached: No such user. Next try on 2026-11-30 09:30 UTC',
    ],
    [
      { recipient: 'bob@example.com', state: 'failed', error: 'bounced: gone' },
      'bob@example.com: not reached: bounced: gone. It is not tried again by itself',
    ],
    [{ recipient: 'webhook:ops', state: 'revoked', revoked: { by: 'kim', at: AT } }, 'webhook:ops: the link was taken back by kim'],
    [{ recipient: 'dan@example.com', state: 'pending' }, 'dan@example.com: to be sent'],
  ])('says what came of %j', (notice, words) => {
    expect(shapeOf(shown(notice)).text).toContain(words);
  });

  test('is not there when nobody was written to', () => {
    expect(shown()).toBe('');
  });

  test.each(Object.entries(HOSTILE))('shows hostile text as text: %s', (_, text) => {
    const html = shown(
      { recipient: text, state: 'failed', error: text },
      { recipient: text, state: 'revoked', revoked: { by: text, at: AT } },
    );
    expect(shapeOf(html).tags).toEqual(
      shapeOf(shown(...(['failed', 'revoked'] as const).map((state) => ({ recipient: 'a', state })))).tags,
    );
    expect(html.length).toBeLessThan(5_000);
  });
});
