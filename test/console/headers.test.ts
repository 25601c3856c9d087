import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { askPage } from '../../console/ask-page.ts';
import { OUTBOX_HEADERS, PAGE_HEADERS } from '../../console/headers.ts';
import { approval, NOW } from './sample-asks.ts';

const page = askPage({ view: approval, now: NOW, action: '/a/1', fields: {} });

test('PAGE_HEADERS allow the one stylesheet of the page by its hash, pictures within the page, and nothing else', () => {
  const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] as string;
  const hash = createHash('sha256').update(style).digest('base64');
  expect(PAGE_HEADERS['content-security-policy']).toBe(
    `default-src 'none'; img-src data:; style-src 'sha256-${hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  );
  expect(page).not.toMatch(/ style=| on[a-z]+=|<script|<link|<img|<base/);
});

test('no page is kept, indexed or named to another site', () => {
  for (const headers of [PAGE_HEADERS, OUTBOX_HEADERS])
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
    });
  expect(OUTBOX_HEADERS['content-security-policy']).toContain("default-src 'none'");
});
