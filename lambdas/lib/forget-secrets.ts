import { callsAsRun, type Log, openReply } from '../../shared/log.ts';
import { effectKey, runKey, SECRET_PREFIX, secretKey, secretPrefix } from '../../shared/tables.ts';
import { readCallback } from './callback-store.ts';
import { between, remove } from './dynamo.ts';

/** Removes the secrets of a reply's calls, or of one of them: they are settled. */
export async function forgetSecrets(runId: string, seq: number, index?: number): Promise<void> {
  await forget(runId, index === undefined ? secretPrefix(seq) : secretKey(seq, index, ''));
}

/**
 * Removes the secrets of all calls of a run that is over, but for those whose result may still come from outside, for whoever
 * goes on in its place: without them nobody could tell what of it is secret.
 */
export async function forgetAtEnd(runId: string, log: Log): Promise<void> {
  await forget(runId, SECRET_PREFIX, await awaited(runId, log));
}

async function forget(runId: string, prefix: string, kept: readonly string[] = []): Promise<void> {
  const items = await between(runKey(runId), prefix, `${prefix}~`);
  const settled = items.filter(({ sk }) => !kept.some((each) => String(sk).startsWith(each)));
  await Promise.all(settled.map(({ sk }) => remove({ pk: runKey(runId), sk: String(sk) })));
}

/** How the sort keys begin of the secrets of calls that have an address to which nothing was posted yet. */
async function awaited(runId: string, log: Log): Promise<string[]> {
  const reply = openReply(log.slice(0, log.at(-1)?.type === 'end' ? -1 : undefined));
  if (!reply) return [];
  const calls = callsAsRun(log, reply).filter(({ callback, secrets }) => callback && secrets);
  const posted = await Promise.all(calls.map(({ index }) => readCallback(effectKey(runId, reply.seq, index))));
  return calls.filter((_, i) => posted[i] && posted[i].postedAt === undefined).map(({ index }) => secretKey(reply.seq, index, ''));
}
