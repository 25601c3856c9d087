import * as z from 'zod';
import type { NoticeSummary } from '../../shared/api.ts';
import { isSamePerson } from '../../shared/recipient.ts';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { noticeKey, noticePrefix, runKey } from '../../shared/tables.ts';
import { ABSENT, between, get, type Item, putIf, updateIf } from './dynamo.ts';
import { readItem, readItems } from './item.ts';

const deed = z.object({ by: z.string(), /** ms since the epoch */ at: z.number() });
/** What somebody did to a notice, and when. */
export type Deed = z.infer<typeof deed>;

/** What is known of one recipient's notice of an ask. Of its link only a hash is kept. */
const notice = z.object({
  v: z.literal(SCHEMA_VERSION),
  runId: z.string(),
  seq: z.int(),
  place: z.int().nonnegative(),
  /** A mail address, or `webhook:<name>`. */
  recipient: z.string(),
  /** Of the secret of its link. */
  hash: z.string(),
  /** Counts its links: each has another secret. */
  issue: z.int().positive(),
  /** Hashes of its earlier links, which work no more. */
  retired: z.array(z.string()).default([]),
  /** When the link stops working, ms since the epoch. */
  expiresAt: z.number(),
  tries: z.int().nonnegative(),
  /** When it was sent; absent after it came back. */
  sentAt: z.number().optional(),
  /** Set when it came back. */
  returned: z.boolean().optional(),
  /** Why the last try failed, or why it came back. */
  error: z.string().optional(),
  /** When it is tried next, ms since the epoch; absent when it is not. */
  nextTryAt: z.number().optional(),
  /** Who had it sent last, when that was a person. */
  again: deed.optional(),
  /** Who took its link back. */
  revoked: deed.optional(),
  /** The code that confirms an answer of high risk: its hash, and its times, ms since the epoch. */
  code: z.object({ hash: z.string(), sentAt: z.number(), expiresAt: z.number() }).optional(),
  /** Tries that the code has left. */
  codeTries: z.int().optional(),
  /** Codes sent so far. */
  codes: z.int().optional(),
});
export type Notice = z.infer<typeof notice>;
/** What names a notice. */
export type NoticeKey = Pick<Notice, 'runId' | 'seq' | 'place'>;

/** What the API shows of a notice. */
export function noticeSummaryOf({ recipient, sentAt, error, nextTryAt, again, revoked }: Notice): NoticeSummary {
  const state = revoked ? 'revoked' : error !== undefined ? 'failed' : sentAt !== undefined ? 'sent' : 'pending';
  return { recipient, state, sentAt, error, again, revoked, ...(nextTryAt ? { nextTryAt } : {}) };
}

const keyOf = ({ runId, seq, place }: NoticeKey) => ({ pk: runKey(runId), sk: noticeKey(seq, place) });
const read = (item: Item): Promise<Notice> => readItem(notice, item);

/** Reads one recipient's notice. */
export async function readNotice(key: NoticeKey): Promise<Notice | undefined> {
  const item = await get(keyOf(key));
  return item && read(item);
}

/** Reads the notices of an ask, in the order in which they were made. */
export async function readNotices(runId: string, seq: number): Promise<Notice[]> {
  return readItems(notice, await between(runKey(runId), noticePrefix(seq), `${noticePrefix(seq)}~`));
}

/**
 * Keeps a notice before it is sent, at the first free place; one for the same recipient that is there already stays.
 * Whoever takes a place has seen all before it, so that no recipient gets two.
 */
export async function keepNotice(
  made: Pick<Notice, 'runId' | 'seq' | 'recipient' | 'hash' | 'issue' | 'expiresAt' | 'again'>,
): Promise<Notice> {
  const notices = await readNotices(made.runId, made.seq);
  const known = notices.find(({ recipient }) => isSamePerson(recipient, made.recipient));
  if (known) return known;
  const fresh = { ...made, place: notices.length, tries: 0, nextTryAt: 0 };
  await putIf({ ...keyOf(fresh), v: SCHEMA_VERSION, ...fresh }, ABSENT);
  return keepNotice(made);
}

/** Notes that a notice went out, unless it has come back already. */
export const noteSent = (key: NoticeKey, at: number) =>
  change(key, { set: { sentAt: at }, remove: ['error', 'nextTryAt'], add: { tries: 1 }, only: 'attribute_not_exists(#returned)' });

/** Notes that a try failed, and when the next one is, if there is one. */
export const noteFailed = (key: NoticeKey, error: string, nextTryAt: number | undefined) =>
  change(key, {
    set: { error, ...(nextTryAt === undefined ? {} : { nextTryAt }) },
    remove: nextTryAt === undefined ? ['nextTryAt'] : [],
    add: { tries: 1 },
  });

/** Notes that a notice did not reach its recipient after all: it is not tried again by itself. */
export const noteReturned = (key: NoticeKey, error: string) =>
  change(key, { set: { error, returned: true }, remove: ['sentAt', 'nextTryAt'] });

/** Has a notice sent once more, with new tries: at once by the caller, else at `nextTryAt`. */
export const noteAgain = (key: NoticeKey, again: Deed, nextTryAt: number) =>
  change(key, { set: { again, tries: 0, nextTryAt }, remove: ['sentAt', 'error', 'returned', 'codes'] });

/** Takes the link of a notice back; who came first is kept. */
export const noteRevoked = (key: NoticeKey, revoked: Deed) =>
  change(key, { set: { revoked }, remove: ['nextTryAt'], only: 'attribute_not_exists(#revoked)' });

/** Gives a notice another link; the one before works no more. Undefined when somebody else was first. */
export const setLink = ({ hash, retired, ...key }: Notice, link: Pick<Notice, 'hash' | 'issue' | 'expiresAt'>) =>
  change(key, { set: { ...link, retired: [...retired, hash] }, remove: ['revoked', 'code'], only: '#issue < :issue' });

/** Keeps a code in place of the one before, unless that was sent after `before` or there were `most` already. */
export const keepCode = (
  key: NoticeKey,
  code: NonNullable<Notice['code']>,
  { tries, before, most }: { readonly tries: number; readonly before: number; readonly most: number },
) =>
  change(key, {
    set: { code, codeTries: tries },
    add: { codes: 1 },
    only: '(attribute_not_exists(#code) OR #code.#sentAt <= :before) AND (attribute_not_exists(#codes) OR #codes < :most)',
    values: { before, most },
  });

/** Counts a try at the code; undefined when there is none that works at this time, ms since the epoch. */
export const countCodeTry = (key: NoticeKey, now: number) =>
  change(key, { add: { codeTries: -1 }, only: '#code.#expiresAt > :now AND #codeTries > :none', values: { now, none: 0 } });

/** Takes back that a try was counted: the code was right. Another that was sent meanwhile has its own tries. */
export const uncountCodeTry = (key: NoticeKey, { hash }: NonNullable<Notice['code']>) =>
  change(key, { add: { codeTries: 1 }, only: '#code.#hash = :hash', values: { hash } });

/** Takes the code away: it was used. */
export const useUpCode = (key: NoticeKey) => change(key, { remove: ['code'] });

interface Change {
  readonly set?: Partial<Notice>;
  readonly remove?: readonly (keyof Notice)[];
  readonly add?: Partial<Record<keyof Notice, number>>;
  /** A further condition, on `#names`, and `:values` that are set or given here. */
  readonly only?: string;
  readonly values?: Item;
}

/** Changes a notice that is there. Returns it as it is now, or undefined when a condition failed. */
async function change(key: NoticeKey, { set = {}, remove = [], add = {}, only, values = {} }: Change): Promise<Notice | undefined> {
  const clauses = {
    SET: Object.keys(set).map((name) => `#${name} = :${name}`),
    REMOVE: remove.map((name) => `#${name}`),
    ADD: Object.keys(add).map((name) => `#${name} :${name}`),
  };
  const update = Object.entries(clauses)
    .flatMap(([verb, parts]) => (parts.length > 0 ? [`${verb} ${parts}`] : []))
    .join(' ');
  const given = Object.entries({ ...set, ...add, ...values });
  const expression = `attribute_exists(#hash)${only === undefined ? '' : ` AND ${only}`}`;
  const item = await updateIf(keyOf(key), update, {
    expression,
    names: Object.fromEntries(
      [...`${update} ${expression}`.matchAll(/#(\w+)/g)].map(([placeholder]) => [placeholder, placeholder.slice(1)]),
    ),
    ...(given.length > 0 ? { values: Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])) } : {}),
  });
  return item && read(item);
}
