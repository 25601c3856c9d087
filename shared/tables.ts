/** The keys of the two tables, in one place: handlers, infrastructure and tests build them here. */

/** Names of the run table's key attributes and of its index by status. */
export const RUN_TABLE = { partitionKey: 'pk', sortKey: 'sk', ttl: 'expiresAt', byStatus: 'byStatus' } as const;
/** Attributes of Powertools' DynamoDB persistence layer, as it expects them by default. */
export const IDEMPOTENCY_TABLE = { partitionKey: 'id', ttl: 'expiration' } as const;

const digits = (n: number) => String(n).padStart(10, '0');

export const runKey = (runId: string) => `RUN#${runId}`;
export const META_KEY = 'META';
export const RECORD_PREFIX = 'R#';
export const recordKey = (seq: number) => `${RECORD_PREFIX}${digits(seq)}`;
export const EFFECT_PREFIX = 'E#';
export const effectPrefix = (seq: number) => `${EFFECT_PREFIX}${digits(seq)}#`;
export const effectItemKey = (seq: number, index: number) => `${effectPrefix(seq)}${String(index).padStart(4, '0')}`;
/** Reads the sort key of an effect record. */
export function parseEffectItemKey(sk: string): { seq: number; index: number } | undefined {
  const match = /^E#(\d{10})#(\d{4})$/.exec(sk);
  return match ? { seq: Number(match[1]), index: Number(match[2]) } : undefined;
}
export const waitKey = (seq: number) => `W#${digits(seq)}`;
/** The notices of an ask, one for each recipient. */
export const noticePrefix = (seq: number) => `N#${digits(seq)}#`;
export const noticeKey = (seq: number, recipient: number) => `${noticePrefix(seq)}${String(recipient).padStart(3, '0')}`;
/** The address to which the result of a call is posted, by the effect key of the call. */
export const callbackItemKey = (seq: number, index: number) => `C#${digits(seq)}#${String(index).padStart(4, '0')}`;
/** The sealed secrets of a reply's calls, each under the hash of its arguments: a call may be given others. */
export const SECRET_PREFIX = 'X#';
export const secretPrefix = (seq: number) => `${SECRET_PREFIX}${digits(seq)}#`;
export const secretKey = (seq: number, index: number, inputHash: string) =>
  `${secretPrefix(seq)}${String(index).padStart(4, '0')}#${inputHash}`;
/** The key that seals secrets, itself sealed with the key of links: one for all runs. */
export const SEALING_KEY = { pk: 'SEALING', sk: 'KEY' } as const;
export const SUMMARY_PREFIX = 'S#';
export const summaryKey = (seq: number) => `${SUMMARY_PREFIX}${digits(seq)}`;
/** What a run was pinned to, in full, by the hash of the pin. */
export const PIN_PREFIX = 'P#';
export const pinKey = (hash: string) => `${PIN_PREFIX}${hash}`;
export const INBOX_PREFIX = 'I#';
export const inboxKey = (id: string) => `${INBOX_PREFIX}${id}`;
/** The claim of a client's Idempotency-Key on a message to a run. `hash` is the SHA-256 of the key, hex. */
export const messageKey = (hash: string) => `K#${hash}`;
/** The run that starts a run over: there is one. */
export const RESTART_KEY = 'RESTART';
/** The claim of a client's Idempotency-Key on a fork of a run. `hash` is the SHA-256 of the key, hex. */
export const forkKey = (hash: string) => `F#${hash}`;
/** The effect key under which the runs of a lineage make the n-th of equal effects. `hash` is their input hash. */
export const kinKey = (hash: string, place: number) => `L#${hash}#${digits(place)}`;
/** The claim of a client's Idempotency-Key on a start. `hash` is the SHA-256 of the key, hex. */
export const startKey = (hash: string) => `START#${hash}`;
export const START_SORT_KEY = 'START';
/** The effect record of a business key, shared by all runs. `hash` is the SHA-256 of tool and key, hex. */
export const businessKey = (hash: string) => `KEY#${hash}`;
export const BUSINESS_SORT_KEY = 'E';

/** The runs that are to be removed, by when: one partition, so that the sweep finds what is due with one query. */
export const REMOVALS_KEY = 'REMOVALS';
/** `due` is in ms since the epoch. */
export const removalKey = (due: number, runId = '') => `${String(Math.round(due)).padStart(15, '0')}#${runId}`;
/** Reads the key of a removal. */
export const parseRemovalKey = (sk: string): { due: number; runId: string } => ({ due: Number(sk.slice(0, 15)), runId: sk.slice(16) });

/** What an agent's runs have spent on a day, UTC, `yyyy-mm-dd`. */
export const dayKey = (agent: string, day: string) => ({ pk: `DAY#${agent}`, sk: day });

/** The effect key of a call: what the tool passes downstream. */
export const effectKey = (runId: string, seq: number, index: number) => `${runId}/${seq}/${index}`;

/** The effect key of a business key. */
export const businessEffectKey = (tool: string, key: string) => `${tool}/${key}`;

/** Reads an effect key, or returns undefined. */
export function parseEffectKey(key: string): { runId: string; seq: number; index: number } | undefined {
  const match = /^([0-9A-HJKMNP-TV-Z]{26})\/([1-9]\d{0,9})\/(\d{1,4})$/.exec(key);
  return match ? { runId: match[1] as string, seq: Number(match[2]), index: Number(match[3]) } : undefined;
}

/** A callback's public id: an effect key that can stand in an address. */
export const callbackId = (key: string) => key.replaceAll('/', '-');
/** Reads a callback's public id, or returns undefined. */
export const parseCallbackId = (id: string) => parseEffectKey(id.replaceAll('-', '/'));

/** An ask's public id. */
export const askId = (runId: string, seq: number) => `${runId}-${seq}`;
/** Reads an ask's public id, or returns undefined. */
export function parseAskId(id: string): { runId: string; seq: number } | undefined {
  const match = /^([0-9A-HJKMNP-TV-Z]{26})-([1-9]\d{0,9})$/.exec(id);
  return match ? { runId: match[1] as string, seq: Number(match[2]) } : undefined;
}
/** Tells whether a text has the form of a run id (ULID). */
export const isRunId = (text: string) => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text);
