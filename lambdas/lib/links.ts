import { createHmac } from 'node:crypto';
import type { LinkFault } from '../../shared/ask-view.ts';
import { isAmong } from '../../shared/recipient.ts';
import type { Ask } from '../../shared/record.ts';
import { askId } from '../../shared/tables.ts';
import { sameHash } from './hash.ts';
import { type Notice, type NoticeKey, readNotices } from './notice-store.ts';
import { linkKey } from './secret.ts';
import { settings } from './settings.ts';

/** What a link is made for. */
export type LinkPurpose = Pick<Notice, 'runId' | 'seq' | 'recipient' | 'issue' | 'expiresAt'>;

/** The secret of a link: the same each time it is made, so that a notice sent twice carries one link. */
export async function secretOf({ runId, seq, recipient, issue, expiresAt }: LinkPurpose): Promise<string> {
  return signedBy([askId(runId, seq), recipient, issue, expiresAt].join('\n'));
}

/** Signs a text with the key of links. */
export const signedBy = async (text: string): Promise<string> =>
  createHmac('sha256', await linkKey())
    .update(text)
    .digest('base64url');

/** The address of an ask for one recipient. */
export const linkTo = ({ runId, seq, place }: NoticeKey, secret: string): string =>
  `${settings().publicUrl}/a/${askId(runId, seq)}?p=${place}&t=${secret}`;

/** Checks the secret of a link against the hashes that were kept when links were made. */
export async function openLink(runId: string, seq: number, place: string, secret: string, now: number): Promise<Notice | LinkFault> {
  const notices = /^\d{1,3}$/.test(place) ? await readNotices(runId, seq) : [];
  const notice = notices.find((each) => each.place === Number(place));
  if (!notice) return 'unknown';
  if (notice.retired.some((hash) => sameHash(secret, hash))) return 'revoked';
  if (sameHash(secret, notice.hash)) return faultOf(notice, now) ?? notice;
  return notices.some(({ hash }) => sameHash(secret, hash)) ? 'other-recipient' : 'tampered';
}

const faultOf = ({ revoked, expiresAt }: Notice, now: number): LinkFault | undefined =>
  revoked ? 'revoked' : now > expiresAt ? 'expired' : undefined;

/**
 * Whom the questions of an ask are asked of when the link of a notice is used: its recipient, or nobody in particular
 * (`undefined`) when an operator sent it to somebody whom no question names.
 */
export function bearerOf({ recipient, again }: Notice, { questions }: Ask): string | undefined {
  const named = questions.some(({ approvers }) => approvers && isAmong(approvers, recipient));
  return again && !named ? undefined : recipient;
}

/** What a form of a page must send back: only somebody who was shown the page can know it. */
export const nonceOf = (id: string, secret: string): string => createHmac('sha256', secret).update(`form ${id}`).digest('base64url');
