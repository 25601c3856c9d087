import { ulid } from 'ulid';
import { type ForkRequest, MAX_INPUT_BYTES } from '../../shared/api.ts';
import { ProblemError } from '../../shared/errors.ts';
import { canonical, type Json } from '../../shared/json.ts';
import { cutAt, isFinished } from '../../shared/lineage.ts';
import type { Log } from '../../shared/log.ts';
import type { Meta, Parent } from '../../shared/meta.ts';
import { forkKey, runKey } from '../../shared/tables.ts';
import { viewLimits } from '../../shared/view-limits.ts';
import { cannotGoOn, isBranchable } from './branchable.ts';
import { claimId } from './claims.ts';
import { closeTurn } from './close-turn.ts';
import { startSegment } from './executions.ts';
import { sha256 } from './hash.ts';
import { messageId, putMessage } from './inbox.ts';
import { inheritSummary } from './inherit-summary.ts';
import { readLog } from './log-store.ts';
import { createMeta, mustRead, noteFork } from './meta-store.ts';
import { keepPinned } from './pin-store.ts';
import { agentNamed, firstMeta } from './start.ts';
import { isOver, startedOver } from './started-over.ts';

/** The most runs that may branch off from one: their names are in its META. */
const MAX_CHILDREN = 100;

/**
 * Branches a run off after a record of another, which must be over: it shares the records up to there, and has its own after
 * them. A repeat with the same key does what is missing, and returns the same new run.
 */
export async function forkRun(old: Meta, request: ForkRequest, key: string | undefined): Promise<Meta> {
  const agent = agentNamed(old.agent);
  const log = await readLog(old.runId);
  const at = cutIn(old, log, request);
  const claimed = key === undefined ? undefined : { pk: runKey(old.runId), sk: forkKey(sha256(key)) };
  const runId = claimed ? await claimId(claimed, ulid(), canonical(request as Json)) : ulid();
  if (!old.children?.has(runId) && (old.children?.size ?? 0) >= MAX_CHILDREN)
    throw new ProblemError(409, 'Too many forks', `Run "${old.runId}" has ${MAX_CHILDREN} runs that branch off from it; fork one of those`);
  const before = await startedOver(old);
  const open = before.find((each) => !isOver(each));
  if (open) throw unfinished(open.meta);
  const noted = await noteFork(old.runId, runId);
  if (!noted) throw notBranched(await mustRead(old.runId));
  for (const each of [...before, { meta: noted, log: await readLog(old.runId) }]) await closeTurn(each.meta, each.log);
  const parent: Parent = { runId: old.runId, kind: 'fork', at, root: old.parent?.root ?? old.runId, by: request.by ?? 'the API' };
  const inbox = await messageFor(runId, request.message);
  const first = firstMeta(runId, agent);
  const summary = await inheritSummary({ runId, parent: old, at, limits: viewLimits(first.policy, first.pin.model) });
  const fresh: Meta = { ...first, parent, summary, ...(inbox ? { inbox } : {}) };
  await keepPinned(runId, agent);
  const meta = (await createMeta(fresh)) ? fresh : await mustRead(runId);
  if (meta.segment === 1 && meta.epoch === 0) await startSegment(meta, 1);
  return meta;
}

/** The message lies there before the run does, so that its first step finds it. */
async function messageFor(runId: string, message: string | undefined): Promise<Set<string> | undefined> {
  if (message === undefined) return undefined;
  const id = await messageId(runId, 'fork', { text: message });
  await putMessage(runId, id, { text: message });
  return new Set([id]);
}

function cutIn({ runId }: Meta, log: Log, { at, message }: ForkRequest): number {
  if (message !== undefined && message.trim() === '')
    throw new ProblemError(400, 'Invalid body', 'message: it must not be blank', 'message');
  if (message !== undefined && Buffer.byteLength(JSON.stringify(message)) > MAX_INPUT_BYTES)
    throw new ProblemError(413, 'Message too large', `A message may have at most ${MAX_INPUT_BYTES} bytes of JSON`, 'message');
  if (at > log.length) throw new ProblemError(400, 'Invalid body', `at: run "${runId}" has ${log.length} records`, 'at');
  const cut = cutAt(log, at);
  if (message === undefined && isFinished(log, cut))
    throw new ProblemError(
      400,
      'Nothing to do',
      `message: run "${runId}" had its last word at record ${cut}; say what comes next, or branch off before it`,
      'message',
    );
  return cut;
}

/** What became of a run meanwhile: it goes on, or it was erased. */
const notBranched = (now: Meta) => (isBranchable(now) ? unfinished(now) : cannotGoOn(now));

const unfinished = ({ runId, status }: Meta) =>
  new ProblemError(
    409,
    'Run is not over',
    `Run "${runId}" is ${status}: two runs that go on side by side could do the same thing; cancel it first, or restart it`,
  );
