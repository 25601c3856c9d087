import { ProblemError } from '../../shared/errors.ts';
import { isSamePerson, MAX_RECIPIENTS, recipientFault } from '../../shared/recipient.ts';
import { asksOf } from './agents.ts';
import { type Notice, noteAgain, noteRevoked, readNotices } from './notice-store.ts';
import { type Asked, noticeFor, send } from './notify.ts';
import { noteReach } from './reach.ts';

/** The sweep tries what was begun here and not ended, after this, ms. */
const SENDING_MS = 60_000;

/** Writes to a recipient of an open ask: to a new one, or once more, with new tries. Throws a problem when that cannot be. */
export async function tell(asked: Asked, to: string, by: string): Promise<Notice> {
  const { runId, seq, known } = await noticesOf(asked);
  const fault = recipientFault(to, asksOf(asked.meta.agent).webhooks);
  if (fault) throw new ProblemError(400, 'Invalid body', `to: ${fault}`, 'to');
  if (known.length >= MAX_RECIPIENTS && !known.some(({ recipient }) => isSamePerson(recipient, to)))
    throw new ProblemError(409, 'Too many recipients', `An ask may have ${MAX_RECIPIENTS} recipients, and this one has as many`, 'to');
  const again = { by, at: Date.now() };
  const kept = await noticeFor(asked, to, again);
  await send(asked, (await noteAgain(kept, again, again.at + SENDING_MS)) ?? kept);
  const notices = await readNotices(runId, seq);
  await noteReach(runId, asked.ask, notices, true);
  return notices.find(({ recipient }) => isSamePerson(recipient, to)) ?? kept;
}

/** Takes the link of a recipient back. Throws a 404 problem when the ask has no such recipient. */
export async function takeBack(asked: Asked, to: string, by: string): Promise<Notice> {
  const { runId, seq, known } = await noticesOf(asked);
  const notice = known.find(({ recipient }) => isSamePerson(recipient, to));
  if (!notice) throw new ProblemError(404, 'No such recipient', `This ask was sent to nobody named "${to.slice(0, 100)}"`, 'to');
  const revoked = (await noteRevoked(notice, { by, at: Date.now() })) ?? notice;
  await noteReach(runId, asked.ask, await readNotices(runId, seq));
  return revoked;
}

async function noticesOf({ meta: { runId }, ask: { seq } }: Asked) {
  return { runId, seq, known: await readNotices(runId, seq) };
}
