import { createHmac } from 'node:crypto';
import type { LinkFault } from '../../shared/ask-view.ts';
import { askId } from '../../shared/tables.ts';
import { sameHash } from './hash.ts';
import { type Notice, readNotice } from './notice-store.ts';
import { linkKey } from './secret.ts';
import { settings } from './settings.ts';

/** What a link is made for. */
export interface LinkPurpose {
  readonly runId: string;
  readonly seq: number;
  readonly recipient: string;
  /** ms since the epoch */
  readonly expiresAt: number;
}

/** The secret of a link: the same each time it is made, so that a notice sent twice carries one link. */
export async function secretOf({ runId, seq, recipient, expiresAt }: LinkPurpose): Promise<string> {
  return signedBy([askId(runId, seq), recipient, expiresAt].join('\n'));
}

/** Signs a text with the key of links. */
export const signedBy = async (text: string): Promise<string> =>
  createHmac('sha256', await linkKey())
    .update(text)
    .digest('base64url');

/** The address of an ask for one recipient. */
export const linkTo = (runId: string, seq: number, place: number, secret: string): string =>
  `${settings().publicUrl}/a/${askId(runId, seq)}?p=${place}&t=${secret}`;

/** Checks the secret of a link against the hash that was kept when it was made. */
export async function openLink(runId: string, seq: number, place: string, secret: string, now: number): Promise<Notice | LinkFault> {
  if (!/^\d{1,3}$/.test(place)) return 'unknown';
  const notice = await readNotice(runId, seq, Number(place));
  if (!notice) return 'unknown';
  if (!sameHash(secret, notice.hash)) return 'tampered';
  return now > notice.expiresAt ? 'expired' : notice;
}

/** What a form of a page must send back: only somebody who was shown the page can know it. */
export const nonceOf = (id: string, secret: string): string => createHmac('sha256', secret).update(`form ${id}`).digest('base64url');
