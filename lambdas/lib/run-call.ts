import {
  type CallFacts,
  callFacts,
  type EffectRecord,
  escalation,
  failure,
  fromEntry,
  keyOf,
  outcomeUnknown,
  type Plan,
  planCall,
} from '../../shared/effect.ts';
import { ConflictError } from '../../shared/errors.ts';
import { noRoom } from '../../shared/fit-results.ts';
import { canonical } from '../../shared/json.ts';
import { answersTo } from '../../shared/log.ts';
import { type Call, type Question, type Result, SCHEMA_VERSION } from '../../shared/record.ts';
import type { Secrets } from '../../shared/secrets.ts';
import { effectKey, parseEffectKey } from '../../shared/tables.ts';
import { textById } from '../../shared/text-by-id.ts';
import type { AnyTool } from '../../shared/tool.ts';
import { findOnce, limitOf, runOnce, type Try } from './call.ts';
import { readCallback } from './callback-store.ts';
import { callbackUrl } from './callback-url.ts';
import type { Key } from './dynamo.ts';
import { copyFiles } from './file-store.ts';
import { checkInput } from './judge.ts';
import { addressOf, claim, keepResult, readEffect, settle } from './ledger.ts';
import { readNamed } from './named-file.ts';
import { oneAtATime } from './one-at-a-time.ts';
import type { Turn } from './open-turn.ts';
import { readSecrets, withSecrets } from './secret-store.ts';

/** What became of a call: settled, or something must be asked or waited for first. */
export interface CallOutcome {
  readonly result?: Result;
  readonly question?: Question;
  readonly wait?: { readonly until: number; readonly reason: string; readonly idle?: boolean };
}

/** A call with all that is needed to run it. */
interface Target {
  readonly turn: Turn;
  readonly call: Call;
  readonly tool: AnyTool | undefined;
  readonly key: string;
  readonly address: Key;
  readonly own: boolean;
  /** The secrets in its arguments, once it is to be run. */
  readonly secrets?: Secrets;
}

/** How long an attempt may go on after its tool's limit: the grace of its signal, and the write of its outcome, ms. */
const SETTLE_MS = 3_000;

/** Says what would be done with a call now, without doing it. */
export async function planOf(turn: Turn, call: Call): Promise<Plan> {
  const target = targetOf(turn, call);
  return plan(target, await entryOf(target));
}

/** Brings a call as far as it can go now. */
export async function runCall(turn: Turn, call: Call): Promise<CallOutcome> {
  const target = targetOf(turn, call);
  let entry = await entryOf(target);
  for (;;) {
    const next = plan(target, entry);
    if (next.do === 'settle') return settled(await kept(target, next.result, entry));
    if (next.do === 'ask') return { question: next.question };
    if (next.do === 'take') {
      entry = await withPosted(target, await take(target, next, entry as EffectRecord));
      continue;
    }
    if (next.do === 'wait') return { wait: { until: next.until, reason: `${call.tool} may still be at work`, idle: true } };
    if (turn.cancelled.aborted) return settled(failure(target, 'Not run: the run was cancelled', 0));
    const opened = await open(target);
    if (!opened) return withoutSecrets(target, entry);
    const tried = next.do === 'find' ? await find(opened, next, entry) : await attempt(opened, next, entry);
    if (!('entry' in tried)) return tried;
    entry = await withPosted(target, tried.entry);
    const pause = tried.pause && plan(target, entry);
    if (pause && (pause.do === 'run' || pause.do === 'find')) return { wait: backoff(entry, call) };
  }
}

/** The target with its secrets; undefined where these are not kept any more. */
async function open(target: Target): Promise<Target | undefined> {
  const { turn, call } = target;
  const secrets = await readSecrets(turn.meta.runId, turn.reply.seq, call);
  return secrets && { ...target, secrets };
}

/** What becomes of a call whose secrets are gone: it never runs, and where it had begun, and nobody has said that it was not done, somebody is asked. */
function withoutSecrets(target: Target, entry: EffectRecord | undefined): CallOutcome {
  const { call } = target;
  const gone = `the secret arguments of ${call.tool} are not kept any more`;
  const denied = failure(target, `Not run: ${gone}; make the call again`, 0);
  if (!entry || entry.state === 'failed') return settled(denied);
  const facts = factsOf(target, 1);
  const since = entry.runId === target.turn.meta.runId ? entry.seen : 0;
  const isNotDone = facts.answers.some(({ answer, seq }) => answer.decision === 'not-done' && seq > since);
  return isNotDone ? settled({ ...denied, effect: { key: entry.key, state: 'failed' } }) : { question: outcomeUnknown(facts, gone) };
}

/** Waits for a result in the place of another run. */
async function take({ turn, call, address }: Target, { seen }: { seen: number }, entry: EffectRecord): Promise<EffectRecord> {
  const owner = { runId: turn.meta.runId, epoch: turn.meta.epoch, requestId: turn.invocation.awsRequestId };
  const mine = { ...entry, ...owner, call: effectKey(turn.meta.runId, turn.reply.seq, call.index), seen };
  return (await claim(address, mine, entry)) ?? mine;
}

/** What was said from outside settles the ledger too: the next call with this key, in whatever run, must know. */
async function kept({ turn, address }: Target, result: Result, entry: EffectRecord | undefined): Promise<Result> {
  const { ok, output, effect } = result;
  // Whoever shares an effect with another run has its files too.
  for (const owner of othersOf(turn.meta.runId, result, entry)) await copyFiles(owner, turn.meta.runId, output);
  if (!entry || entry.state === 'done' || entry.state === 'failed') return result;
  if (effect?.state === 'done') await claim(address, { ...entry, state: 'done', ok, output }, entry);
  else if (effect && entry.state === 'pending') await claim(address, { ...entry, state: 'unknown', error: 'no result came' }, entry);
  return result;
}

/** The other runs that an effect is of. */
const othersOf = (own: string, { effect }: Result, entry: EffectRecord | undefined): string[] =>
  [entry?.runId, parseEffectKey(effect?.key ?? '')?.runId].filter((runId) => runId !== undefined && runId !== own) as string[];

/** A result that was posted is as good as one that the tool returned, whatever became of the try that the tool made. */
async function withPosted({ turn, call, address, own }: Target, entry: EffectRecord): Promise<EffectRecord> {
  if (!call.callback || entry.state === 'done' || entry.state === 'failed') return entry;
  const posted = await readCallback(entry.key);
  if (posted?.postedAt === undefined) return entry;
  const settled = await settle(address, { ...entry, state: 'done', ok: posted.ok ?? true, output: posted.output ?? null });
  if (own) turn.entries.set(call.index, settled);
  return settled;
}

const settled = (result: Result): CallOutcome => ({ result });

/** 1, 2, 4 ... s, at most 30 s. */
const backoff = ({ attempts, error }: EffectRecord, call: Call) => ({
  until: Date.now() + Math.min(30_000, 1000 * 2 ** (attempts - 1)),
  reason: `${call.tool} will be tried again: ${error ?? 'its outcome is open'}`.slice(0, 500),
});

function plan(target: Target, entry: EffectRecord | undefined): Plan {
  const { turn, call, tool } = target;
  const maxAttempts = tool?.maxAttempts ?? turn.meta.policy.maxAttempts;
  const onRepeat = (tool && tool.effect !== 'read' && tool.onRepeat) || 'run';
  const planned = planCall(factsOf(target, maxAttempts, onRepeat), {
    entry,
    runId: turn.meta.runId,
    over: isOver(turn, entry),
    now: Date.now(),
    begunUnmarked: call.class === 'read' && turn.meta.attempts > 1,
  });
  const why = isToRun(planned) ? (unusable(turn, call, tool) ?? tooFull(turn, call, entry)) : undefined;
  return why === undefined ? planned : { do: 'settle', result: notRun(call, entry, why) };
}

const factsOf = ({ turn, call }: Target, maxAttempts: number, onRepeat: CallFacts['onRepeat'] = 'run'): CallFacts =>
  callFacts(turn.log, turn.reply, call, { maxAttempts, onRepeat, met: turn.met.get(call.index) });

/** Says why a call cannot run: its tool is gone, or is another since the model asked for it. Arguments are taken as they are or not at all. */
function unusable({ changed, log, reply }: Turn, call: Call, tool: AnyTool | undefined): string | undefined {
  if (!tool) return `the tool ${call.tool} is no longer available`;
  if (!changed.has(call.tool)) return undefined;
  const isApproved = answersTo(log, reply, call.index).some(({ answer }) => answer.decision === 'approve');
  const since = `the tool ${call.tool} has changed since it was ${isApproved ? 'approved' : 'called'}`;
  if (tool.effect !== call.class) return `${since}: its class was ${call.class} and is ${tool.effect}`;
  const found = checkInput(tool, call.input);
  const same = 'input' in found && canonical(found.input) === canonical(call.input) && found.businessKey === call.businessKey;
  // Where masks stand for secrets, nobody can tell here what the tool would take.
  return same && !call.secrets ? undefined : `${since}: it does not take these arguments any more`;
}

/** Says why what a call writes could not be told of. What has begun goes on: it had room then. */
const tooFull = ({ room }: Turn, call: Call, entry: EffectRecord | undefined): string | undefined =>
  call.class === 'read' || (entry && entry.state !== 'failed') ? undefined : noRoom(room);

/** Whether a plan ends in a run of the tool, now or after a yes. */
const isToRun = (planned: Plan): boolean =>
  planned.do === 'run' || planned.do === 'find' || (planned.do === 'ask' && planned.question.kind === 'approval');

/** The result of a call that cannot run. What people said and what is known stands without it. */
function notRun(call: Call, entry: EffectRecord | undefined, why: string): Result {
  if (!entry || entry.class === 'read' || entry.state === 'failed') return failure({ call }, `Not run: ${why}`, 1);
  const result = failure({ call }, `It was begun and its outcome is not known: ${why}`, entry.attempts);
  return { ...result, effect: { key: entry.key, state: 'unknown' } };
}

const isOver = (turn: Turn, entry: EffectRecord | undefined): boolean => !entry || isOwn(turn, entry) || isReportedOver(turn, entry);

const isOwn = ({ meta }: Turn, { runId, epoch }: EffectRecord) => runId === meta.runId && epoch === meta.epoch;

/** The platform reported the death of the very invocation that owns the entry, or vouches for all before a point. */
const isReportedOver = ({ meta, state, overThrough }: Turn, { runId, epoch, requestId }: EffectRecord): boolean =>
  state.failure?.Cause?.includes(requestId) || epoch <= (runId === meta.runId ? meta.overThrough : (overThrough.get(runId) ?? -1));

function targetOf(turn: Turn, call: Call): Target {
  const { log, reply, meta, agent } = turn;
  const tool = agent?.tools.find(({ name }) => name === call.tool);
  const key = keyOf(meta.runId, log, reply, call, turn.met.get(call.index));
  return { turn, call, tool, key, address: addressOf(key, call.tool), own: key === effectKey(meta.runId, reply.seq, call.index) };
}

async function entryOf(target: Target): Promise<EffectRecord | undefined> {
  const { turn, call, address, own } = target;
  const found = own ? turn.entries.get(call.index) : call.class === 'read' ? undefined : await readEffect(address);
  const entry = found && (await withPosted(target, found));
  if (entry?.state !== 'started' || !isReportedOver(turn, entry)) return entry;
  // Said once by the platform, so it is kept: the next step will not be told again.
  const open = await settle(address, { ...entry, state: 'unknown', error: 'its invocation ended before it was recorded' });
  if (own) turn.entries.set(call.index, open);
  return open;
}

type Tried = CallOutcome | { readonly entry: EffectRecord; readonly pause: boolean };

function attempt(target: Target, next: Extract<Plan, { do: 'run' }>, previous: EffectRecord | undefined): Promise<Tried> {
  const entry = started(target, next);
  return target.call.class === 'read' ? read(target, entry, previous) : write(target, entry, previous);
}

function started({ turn, call, tool, key }: Target, { attempt, seen }: { attempt: number; seen: number }): EffectRecord {
  const now = Date.now();
  const deadline = now + limitOf(tool as AnyTool, turn.invocation.getRemainingTimeInMillis()) + SETTLE_MS;
  const owner = { runId: turn.meta.runId, epoch: turn.meta.epoch, requestId: turn.invocation.awsRequestId };
  const what = {
    key,
    call: effectKey(turn.meta.runId, turn.reply.seq, call.index),
    tool: call.tool,
    class: call.class,
    inputHash: call.inputHash,
  };
  return { v: SCHEMA_VERSION, ...what, ...owner, state: 'started', attempts: attempt, seen, startedAt: now, deadline };
}

const tryOf = ({ turn, call, tool, key, secrets = {} }: Target, entry: EffectRecord): Try => ({
  runId: turn.meta.runId,
  rootRunId: turn.meta.parent?.root ?? turn.meta.runId,
  tool: tool as AnyTool,
  call: withSecrets(call, secrets),
  secrets,
  key,
  attempt: entry.attempts,
  deadline: entry.deadline - SETTLE_MS,
  cancelled: turn.cancelled,
  textOf: (id) => textById(turn.log, id),
  readFile: (file) => readNamed(turn.meta, turn.log, file),
});

/** A call that reads is marked only when an earlier invocation failed, and kept only when others share its turn. */
async function read(target: Target, entry: EffectRecord, previous: EffectRecord | undefined): Promise<Tried> {
  const { turn, address } = target;
  const other = turn.again ? await claim(address, entry, previous) : undefined;
  if (other) return { entry: other, pause: false };
  const ended = { ...entry, ...(await runOnce(tryOf(target, entry))) };
  if (turn.again || turn.reply.calls.length > 1) await keepResult(address, ended);
  return settled(fromEntry(target, ended));
}

/** An attempt at an effect: marked before it begins, settled after it, and alone. */
async function write(target: Target, entry: EffectRecord, previous: EffectRecord | undefined): Promise<Tried> {
  const { address } = target;
  const afresh = target.turn.meta.attempts > 1 || previous !== undefined;
  const inTheWay = afresh ? await claim(address, entry, previous) : undefined;
  if (inTheWay) return { entry: inTheWay, pause: false };
  const tried = { ...tryOf(target, entry), ...(await callbackOf(target)) };
  let standing = entry;
  const perform = async () => {
    const other = afresh ? undefined : await claim(address, entry, undefined);
    if (other) standing = other;
    // Nothing has begun, so the lock may go.
    if (other) throw new ConflictError(`Cannot begin effect "${entry.key}": another attempt has`);
    standing = await settle(address, { ...entry, ...(await runOnce(tried)) });
  };
  const lock = await oneAtATime(address, entry.deadline, afresh, perform).catch(unlessConflict);
  if (lock === 'busy') return { wait: { until: Date.now() + 1000, reason: `${entry.tool} is being run by another invocation` } };
  if (lock === 'replayed') standing = (await readEffect(address)) ?? entry;
  return { entry: standing, pause: standing.state === 'unknown' };
}

const callbackOf = async ({ call, key }: Target) => (call.callback ? { callbackUrl: await callbackUrl(key) } : {});

function unlessConflict(error: Error): 'ran' {
  if (error.name !== 'ConflictError') throw error;
  return 'ran';
}

/** Asks the outside system; then records that it happened, or runs, or asks a person. */
async function find(target: Target, next: Extract<Plan, { do: 'find' }>, previous: EffectRecord | undefined): Promise<Tried> {
  const entry = { ...started(target, { attempt: previous?.attempts ?? 1, seen: next.seen }) };
  const found = await findOnce(tryOf(target, entry));
  const facts = factsOf(target, 1);
  if (found.happened === 'unknown') return { question: outcomeUnknown(facts, 'the outside system cannot tell') };
  if (found.happened) return recordFound(target, { ...entry, ...found.output }, previous);
  if (next.attempt === undefined) return { question: escalation(facts, entry.attempts) };
  return write(target, started(target, { attempt: next.attempt, seen: next.seen }), previous);
}

async function recordFound({ address }: Target, entry: EffectRecord, previous: EffectRecord | undefined): Promise<Tried> {
  const other = await claim(address, entry, previous);
  return { entry: other ?? entry, pause: false };
}
