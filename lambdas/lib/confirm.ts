import { randomInt } from 'node:crypto';
import { type CodeStep, codeMail } from '../../console/code-field.ts';
import type { AskView } from '../../shared/ask-view.ts';
import { asksOf } from './agents.ts';
import { sameHash, sha256 } from './hash.ts';
import { signedBy } from './links.ts';
import { countCodeTry, keepCode, type Notice, readNotice, uncountCodeTry } from './notice-store.ts';
import { deliver, envelopeOf } from './notify.ts';

/** A code that its recipient is sent, besides the link: who only has the link cannot answer what is of high risk. */

const CODE_MINUTES = 10;
const TRIES = 5;
/** Between two codes, ms. */
const BETWEEN_MS = 60_000;
/** Codes of one notice until it is sent again: with five tries each, one in twenty thousand is guessed. */
const MAX_CODES = 10;

/** Why nothing was decided, and the status that says so. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** Whether an answer to this ask by a link needs a code. */
export const needsCode = ({ agent, questions }: AskView): boolean =>
  asksOf(agent).confirmHighRisk === 'code' && questions.some(({ risk }) => risk === 'high');

/** What the page says of the code: whom it goes to, and whether one is out. */
export async function codeStepOf(notice: Notice, now: number): Promise<CodeStep> {
  const { recipient, code, codeTries = 0 } = (await readNotice(notice)) ?? notice;
  return { recipient, ...(code && code.expiresAt > now && codeTries > 0 ? { until: code.expiresAt } : {}) };
}

/** Sends a code, which takes the place of the one before. Returns why it was not sent, or undefined. */
export async function sendCode(view: AskView, notice: Notice, now: number): Promise<Refusal | undefined> {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const made = { hash: sha256(await signed(notice, code)), sentAt: now, expiresAt: now + CODE_MINUTES * 60_000 };
  if (!(await keepCode(notice, made, { tries: TRIES, before: now - BETWEEN_MS, most: MAX_CODES }))) return whyNoCode(notice);
  const id = [view.id, notice.place, 'code', now].join('-');
  const failed = await deliver({ ...envelopeOf(view, notice), id, ...codeMail(view, code, CODE_MINUTES) });
  return failed === undefined ? undefined : { status: 502, text: 'The code could not be sent. Wait a minute, and have another sent.' };
}

async function whyNoCode(notice: Notice): Promise<Refusal> {
  const { codes = 0 } = (await readNotice(notice)) ?? notice;
  return codes < MAX_CODES
    ? { status: 429, text: 'A code was sent less than a minute ago. Use it, or wait a minute for another.' }
    : { status: 429, text: 'No more codes are sent for this link. Who runs the agent can have the ask sent again.' };
}

/** Checks a code, which whoever records the answer uses up: an answer that is refused costs none of its tries. A try is counted before the code is looked at, whoever comes at the same moment. */
export async function checkCode(notice: Notice, given: string, now: number): Promise<Refusal | undefined> {
  if (!/^\d{6}$/.test(given)) return { status: 400, text: 'Type the six digits of the code.' };
  const counted = await countCodeTry(notice, now);
  if (!counted?.code) return { status: 403, text: 'That code works no more. Have another sent.' };
  if (sameHash(await signed(notice, given), counted.code.hash)) return void (await uncountCodeTry(notice, counted.code));
  return { status: 403, text: `The code is wrong: ${leftOf(counted.codeTries ?? 0)}` };
}

const leftOf = (tries: number): string =>
  tries === 0 ? 'that was the last try. Have another sent.' : `${tries} ${tries === 1 ? 'try is' : 'tries are'} left.`;

/** With a key: six digits alone are soon found from their hash. */
const signed = ({ hash }: Notice, code: string): Promise<string> => signedBy(`code ${hash} ${code}`);
