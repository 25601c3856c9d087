import { monotonicFactory } from 'ulid';
import type * as z from 'zod';
import { MAX_INPUT_BYTES } from '../../shared/api.ts';
import { ErasedError } from '../../shared/errors.ts';
import { exportedMessage } from '../../shared/export.ts';
import { fileJson } from '../../shared/file.ts';
import { canonical, type Json } from '../../shared/json.ts';
import { type Log, takenMessages } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { INBOX_PREFIX, inboxKey, messageKey, runKey } from '../../shared/tables.ts';
import { keepBody } from './body.ts';
import { claimId } from './claims.ts';
import { ABSENT, between, putIf, remove } from './dynamo.ts';
import { sha256 } from './hash.ts';
import { readItems } from './item.ts';
import { append } from './log-store.ts';
import { isEnded, mustRead, noteMessage, setReopened, strikeMessages } from './meta-store.ts';

/** Messages of one process never change places, even within a millisecond. */
const ulid = monotonicFactory();

type Message = z.infer<typeof exportedMessage>;

/** Names a message: in order of time, and the same name for the same client's key. Throws a 422 problem as `claimId` does. */
export const messageId = async (runId: string, key: string | undefined, said: Said): Promise<string> =>
  key === undefined ? ulid() : claimId({ pk: runKey(runId), sk: messageKey(sha256(key)) }, ulid(), contentOf(said));

/** What a message says: its text, what stands for its files, and the budgets that it raises. */
type Said = Pick<Message, 'text' | 'files' | 'raise'>;

const contentOf = ({ text, files, raise }: Said): string =>
  files || raise
    ? canonical({ text, ...(files ? { files: files.map(fileJson) } : {}), ...(raise ? { raise: { ...raise } as Json } : {}) })
    : text;

/** Puts a message into a run's inbox and returns META as it is then; the same id again changes nothing. */
export async function postMessage(runId: string, id: string, said: Said): Promise<Meta> {
  await putMessage(runId, id, said);
  const now = await noteMessage(runId, id);
  if (now.status !== 'erased') return now;
  await remove({ pk: runKey(runId), sk: inboxKey(id) });
  throw new ErasedError(`Cannot send a message to run "${runId}": it was erased`);
}

/** Puts a message beside a run, whose META has to note it. */
export async function putMessage(runId: string, id: string, said: Said, at = Date.now()): Promise<void> {
  // Packed, since a plain attribute would not keep every text as it is.
  const pk = runKey(runId);
  await putIf({ pk, sk: inboxKey(id), v: SCHEMA_VERSION, id, at, ...(await keepBody(pk, said)) }, ABSENT);
}

/** Returns the messages of a run that are not in its log, oldest first. */
export async function unreadMessages(runId: string, log: Log): Promise<Message[]> {
  const items = await between(runKey(runId), INBOX_PREFIX, `${INBOX_PREFIX}~`);
  const taken = takenMessages(log);
  return (await readItems(exportedMessage, items)).filter(({ id }) => !taken.has(id));
}

/** Appends messages of the inbox to the log, as many as one record can hold, and removes them from the inbox. */
export async function takeInbox(meta: Meta, log: Log): Promise<{ log: Log; meta: Meta }> {
  const { runId } = meta;
  // First, so that a run which was started over meanwhile stays closed.
  if (isEnded(meta) && !(await setReopened(runId))) return { log, meta: await mustRead(runId) };
  const items = await between(runKey(runId), INBOX_PREFIX, `${INBOX_PREFIX}~`);
  const before = takenMessages(log);
  const messages = fitting((await readItems(exportedMessage, items)).filter(({ id }) => !before.has(id)));
  const grown =
    messages.length > 0 ? await append(runId, log, { type: 'user', messages: messages.map(({ v: _, ...message }) => message) }) : log;
  await clear(
    meta,
    takenMessages(grown),
    items.map(({ id }) => String(id)),
  );
  return { log: grown, meta: await mustRead(runId) };
}

/** The first messages that one record can hold: at least one, since each is small enough by itself. */
function fitting(messages: Message[]): Message[] {
  let bytes = 0;
  const over = messages.findIndex(({ text, files = [] }) => {
    bytes += Buffer.byteLength(JSON.stringify([text, ...files]));
    return bytes > MAX_INPUT_BYTES;
  });
  return over < 0 ? messages : messages.slice(0, Math.max(1, over));
}

/** Strikes and removes what is in the log; a message that lost its place there stays for the next step. */
async function clear({ runId, inbox }: Meta, taken: Set<string>, stored: string[]): Promise<void> {
  const noted = [...(inbox ?? [])].filter((id) => taken.has(id));
  if (noted.length > 0) await strikeMessages(runId, noted);
  for (const id of stored.filter((each) => taken.has(each))) await remove({ pk: runKey(runId), sk: inboxKey(id) });
}
