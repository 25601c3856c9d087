import { askMail } from '../../console/mail.ts';
import { headline } from '../../console/words.ts';
import { type AskView, viewOfAsk } from '../../shared/ask-view.ts';
import type { Log } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import { eachOnce, isSamePerson, MAX_RECIPIENTS } from '../../shared/recipient.ts';
import type { Ask } from '../../shared/record.ts';
import { lastDeadlineOf } from '../../shared/standing.ts';
import { asksOf } from './agents.ts';
import { type Letter, SEND_MS } from './channel/letter.ts';
import { channelTo } from './channel.ts';
import { sha256 } from './hash.ts';
import { bearerOf, linkTo, secretOf } from './links.ts';
import { measure } from './metrics.ts';
import { type Deed, keepNotice, type Notice, noteFailed, noteSent, readNotice, readNotices, setLink } from './notice-store.ts';
import { sentenceOf } from './sentence.ts';

/** Tries to send a notice: with waits of 1, 2, 4 ... minutes, at most an hour, about half a day in all. */
const MAX_TRIES = 18;
/** A link to an ask that never expires works for this long, ms. */
const LINK_LIFE_MS = 30 * 24 * 3600_000;

/** An ask with all that is told of it; the log is read only when there is somebody to tell. */
export interface Asked {
  readonly meta: Meta;
  readonly ask: Ask;
  readonly log: () => Promise<Log>;
}

/**
 * Writes to everybody who may answer an open ask and has not been written to, and begins no try after `until`. A notice is
 * kept, with the hash of its link, before it is sent and marked after it: a crash between the two sends the same link again.
 * Returns the notices as they are.
 */
export async function notify(asked: Asked, until: number): Promise<Notice[]> {
  const { meta, ask } = asked;
  const known = await readNotices(meta.runId, ask.seq);
  for (const recipient of recipientsOf(asked)) {
    if (!known.some((notice) => isSamePerson(notice.recipient, recipient))) known.push(await noticeFor(asked, recipient));
  }
  const due = known.filter((notice) => isDue(notice, Date.now()));
  for (const notice of due) if (Date.now() < until) await send(asked, notice);
  return due.length > 0 ? readNotices(meta.runId, ask.seq) : known;
}

/** Everybody who is asked; nobody needs to be told that the result of a call comes from outside. */
function recipientsOf({ meta, ask }: Asked): readonly string[] {
  const people = ask.questions.filter(({ kind }) => kind !== 'callback');
  return eachOnce(people.flatMap(({ approvers }) => approvers ?? asksOf(meta.agent).approvers ?? [])).slice(0, MAX_RECIPIENTS);
}

const isDue = ({ nextTryAt, revoked }: Notice, now: number): boolean => !revoked && nextTryAt !== undefined && nextTryAt <= now;

/** When a link that is made now stops working, ms since the epoch. */
const endOfLink = ({ questions }: Ask, now: number): number => lastDeadlineOf(questions) ?? now + LINK_LIFE_MS;

/** Keeps a notice for a recipient, to be sent; the one that is there already stays. */
export async function noticeFor({ meta, ask }: Asked, recipient: string, again?: Deed): Promise<Notice> {
  const purpose = { runId: meta.runId, seq: ask.seq, recipient, issue: 1, expiresAt: endOfLink(ask, Date.now()) };
  return keepNotice({ ...purpose, hash: sha256(await secretOf(purpose)), ...(again ? { again } : {}) });
}

/** Tries to send a notice once, and notes what came of it. */
export async function send(asked: Asked, notice: Notice): Promise<void> {
  const { meta, ask, log } = asked;
  const link = linkTo(notice, await currentSecret(ask, notice, Date.now()));
  const view = viewOfAsk(meta, await log(), ask, bearerOf(notice, ask));
  const id = [view.id, notice.place, ...(notice.again ? [notice.again.at] : [])].join('-');
  const mail = askMail({ view, now: Date.now(), link });
  const error = mail ? await deliver({ ...envelopeOf(view, notice), id, link, ...mail }) : NOTHING_TO_ASK;
  if (error === undefined) await noteSent(notice, Date.now());
  else await noteFailed(notice, error, nextTryAfter(notice.tries + 1));
}

/** Why nothing goes out to somebody who has nothing to answer (any more). */
const NOTHING_TO_ASK = 'Nothing is asked of this recipient now';

/** The secret of the link that works. One that cannot be made again, was taken back or is over gives way to another. */
async function currentSecret(ask: Ask, notice: Notice, now: number): Promise<string> {
  const secret = await secretOf(notice);
  if (sha256(secret) === notice.hash && !notice.revoked && notice.expiresAt > now) return secret;
  const purpose = { ...notice, issue: notice.issue + 1, expiresAt: endOfLink(ask, now) };
  const next = await secretOf(purpose);
  const changed = await setLink(notice, { hash: sha256(next), issue: purpose.issue, expiresAt: purpose.expiresAt });
  return changed ? next : currentSecret(ask, (await readNotice(notice)) ?? notice, now);
}

const nextTryAfter = (tries: number): number | undefined =>
  tries < MAX_TRIES ? Date.now() + Math.min(3_600_000, 60_000 * 2 ** (tries - 1)) : undefined;

/** The parts of a letter that tell whom it goes to and what it is about. */
export function envelopeOf(view: AskView, { recipient, place }: Notice): Pick<Letter, 'to' | 'place' | 'ask'> {
  const { id, kind, agent, runId, expiresAt } = view;
  return {
    to: recipient,
    place,
    ask: { id, kind, agent, runId, headline: headline(view), ...(expiresAt === undefined ? {} : { expiresAt }) },
  };
}

/** Sends a letter by its channel. Returns why it did not go out, or undefined. */
export async function deliver(letter: Letter): Promise<string | undefined> {
  try {
    await channelTo(letter.to, asksOf(letter.ask.agent).webhooks ?? {})(letter);
    return undefined;
  } catch (error) {
    const why = isOverdue(error) ? `No answer within ${SEND_MS / 1000} s` : sentenceOf(error).slice(0, 500);
    measure({ LetterFailures: 1 }, { runId: letter.ask.runId, message: `Cannot send a letter about ask ${letter.ask.id}: ${why}` });
    return why;
  }
}

/** Each client has a name of its own for a call that was given up. */
const isOverdue = (error: unknown): boolean => ['AbortError', 'TimeoutError'].includes((error as Error)?.name);
