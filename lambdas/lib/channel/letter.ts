import type { Ask } from '../../../shared/record.ts';
import { settings } from '../settings.ts';

/** What one recipient is sent. */
export interface Letter {
  /** The same on each try, so that a receiver can tell a repeat. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly ask: {
    readonly id: string;
    readonly kind: Ask['kind'];
    readonly agent: string;
    readonly runId: string;
    readonly headline: string;
    /** ms since the epoch */
    readonly expiresAt?: number;
  };
  /** The recipient's place among those of the ask. */
  readonly place: number;
  /** The recipient's link, when the letter is about the ask itself. */
  readonly link?: string;
}

/** Sends a letter once. Throws when it did not go out: the caller decides when to try again. */
export type Channel = (letter: Letter) => Promise<void>;

/** How long a server may keep a channel waiting, ms: a function that sends has time left to say so. */
export const SEND_MS = 10_000;

/** The sender of mails. Throws when there is none. */
export function sender(): string {
  const { mailFrom } = settings();
  if (mailFrom === undefined) throw new Error('Cannot send mail: this deployment has no sender; give it one as HOLDFAST_MAIL_FROM');
  return mailFrom;
}

/** Mails of one run stand in one thread: the id that all of them refer to. */
export const threadOf = ({ ask }: Letter): string => `<run-${ask.runId}@holdfast>`;
