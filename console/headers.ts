import { createHash } from 'node:crypto';
import { textOf } from './html.ts';
import { STYLE } from './style.ts';

/** The CSP source of the one stylesheet: the hash of what stands between its tags. */
const styleHash = `'sha256-${createHash('sha256')
  .update(textOf(STYLE).replace(/^<style>|<\/style>$/g, ''))
  .digest('base64')}'`;

const policyWith = (styleSource: string, more = ''): string =>
  `default-src 'none'; img-src data:; style-src ${styleSource}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'${more}`;

/** Headers of every page that a person looks at: kept nowhere, found by no robot, leaking no address, running nothing. Pictures are part of the page: none is fetched. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'x-content-type-options': 'nosniff',
  'content-security-policy': policyWith(styleHash),
} as const;

/** Headers of the outbox: the mail in its frame is held to the page's policy too, and mail has its style in attributes. */
export const OUTBOX_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': policyWith("'unsafe-inline'", "; frame-src 'self'"),
} as const;
