import { askMail } from '../../console/mail.ts';
import { viewOfAsk } from '../../shared/ask-view.ts';
import type { Log } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import type { Ask } from '../../shared/record.ts';
import { lastDeadlineOf } from '../../shared/standing.ts';
import { agentOf } from './agents.ts';
import { sha256 } from './hash.ts';
import { logLine } from './invocation.ts';
import { linkTo, secretOf } from './links.ts';
import { readLog } from './log-store.ts';
import { sendMail } from './mail.ts';
import { createNotice, type Notice, noteTry, readNotices } from './notice-store.ts';
import { sentenceOf } from './sentence.ts';
import { settings } from './settings.ts';

/** Tries to send a notice: with waits of 1, 2, 4 ... minutes, at most an hour, about half a day in all. */
const MAX_TRIES = 18;
/** A link to an ask that never expires works for this long, ms. */
const LINK_LIFE_MS = 30 * 24 * 3600_000;

/**
 * Writes to everybody who may answer an open ask and has not been written to. A notice is kept, with the hash of its link,
 * before it is sent and marked after it: a crash between the two sends the same link again. Returns the notices as they are.
 */
export async function notify(meta: Meta, ask: Ask): Promise<Notice[]> {
  const from = settings().mailFrom;
  const recipients = from ? recipientsOf(meta, ask) : [];
  if (!from || recipients.length === 0) return [];
  const known = await readNotices(meta.runId, ask.seq);
  const due = recipients.map((recipient, place) => ({ recipient, place })).filter(({ place }) => isDue(known[place], Date.now()));
  if (due.length === 0) return known;
  const log = await readLog(meta.runId);
  for (const { recipient, place } of due) await notifyOne({ meta, log, ask, from, recipient, place });
  return readNotices(meta.runId, ask.seq);
}

/** Everybody who is asked; nobody needs to be told that the result of a call comes from outside. */
function recipientsOf(meta: Meta, { questions }: Ask): readonly string[] {
  const people = questions.filter(({ kind }) => kind !== 'callback');
  return [...new Set(people.flatMap(({ approvers }) => approvers ?? agentOf(meta.agent).asks?.approvers ?? []))];
}

const isDue = (notice: Notice | undefined, now: number): boolean =>
  !notice || (notice.sentAt === undefined && notice.tries < MAX_TRIES && notice.nextTryAt <= now);

/** Tells whether nobody can be reached: every notice has used up its tries. */
export const isUndeliverable = (notices: readonly Notice[]): boolean =>
  notices.length > 0 && notices.every(({ sentAt, tries }) => sentAt === undefined && tries >= MAX_TRIES);

interface Letter {
  readonly meta: Meta;
  readonly log: Log;
  readonly ask: Ask;
  readonly from: string;
  readonly recipient: string;
  readonly place: number;
}

async function notifyOne({ meta, log, ask, from, recipient, place }: Letter): Promise<void> {
  const { runId } = meta;
  const expiresAt = lastDeadlineOf(ask.questions) ?? ask.at + LINK_LIFE_MS;
  const secret = await secretOf({ runId, seq: ask.seq, recipient, expiresAt });
  const view = viewOfAsk(meta, log, ask, recipient);
  const mail = askMail({ view, now: Date.now(), link: linkTo(runId, ask.seq, place, secret) });
  if (!mail) return;
  await createNotice(runId, ask.seq, place, { recipient, hash: sha256(secret), expiresAt });
  try {
    await sendMail({ from, to: recipient, thread: `<run-${runId}@holdfast>`, ...mail });
    await noteTry(runId, ask.seq, place, { sentAt: Date.now() });
  } catch (error) {
    const tries = (await readNotices(runId, ask.seq))[place]?.tries ?? 0;
    logLine(runId, `Cannot send the notice of ask ${ask.seq}: ${sentenceOf(error)}`);
    await noteTry(runId, ask.seq, place, {
      error: sentenceOf(error).slice(0, 500),
      nextTryAt: Date.now() + Math.min(3_600_000, 60_000 * 2 ** tries),
    });
  }
}
