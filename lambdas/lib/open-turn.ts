import { type Agent, findAgent } from '../../shared/agent.ts';
import type { EffectRecord } from '../../shared/effect.ts';
import { type Room, roomFor } from '../../shared/fit-results.ts';
import type { LineageEffect } from '../../shared/lineage.ts';
import { callsAsRun, openReply } from '../../shared/log.ts';
import { changedTools } from '../../shared/pin-now.ts';
import type { Reply } from '../../shared/record.ts';
import { allAgents } from './agents.ts';
import { changedIn } from './drift.ts';
import { kinOf, NO_KIN } from './kin.ts';
import { readEffects } from './ledger.ts';
import { readLog, roomIn } from './log-store.ts';
import { mustRead } from './meta-store.ts';
import { assertLocksAreOn } from './one-at-a-time.ts';
import type { Step } from './step.ts';

/** The calls of one reply, and what is known of them. */
export interface Turn extends Step {
  readonly agent: Agent | undefined;
  readonly reply: Reply;
  /** Ledger entries of the calls, by index. */
  readonly entries: Map<number, EffectRecord>;
  /** An earlier invocation of this step may have left something behind: calls run one at a time, each marked first. */
  readonly again: boolean;
  /** The effects of the lineage's ledger that calls meet, by index. */
  readonly met: ReadonlyMap<number, LineageEffect>;
  /** Up to which epoch the invocations of each ancestor are known to be over. */
  readonly overThrough: ReadonlyMap<string, number>;
  /** Tools that a `repin` or a fork since the reply has changed or taken away. */
  readonly changed: ReadonlySet<string>;
  /** For what its calls return, beside what those before it did. */
  readonly room: Room;
  /** Fires when the run is cancelled. */
  readonly cancelled: AbortSignal;
}

/** Gathers what is known of the calls of the open reply. */
export async function openTurn(step: Step, cancelled: AbortSignal): Promise<Turn> {
  assertLocksAreOn(process.env);
  const { log, meta } = step;
  const made = openReply(log) as Reply;
  const reply = { ...made, calls: callsAsRun(log, made) };
  const again = meta.attempts > 1 || log.length > reply.seq;
  const turn = {
    ...step,
    agent: findAgent(allAgents, meta.agent),
    reply,
    entries: new Map(),
    ...NO_KIN,
    again,
    changed: await changedSince(made, step),
    room: roomFor(roomIn(meta.runId, log)),
    cancelled,
  };
  // A ledger that cannot be read must not keep a step that is worn out from asking.
  if (isWornOut(turn)) return turn;
  const kin = meta.parent || meta.children ? await kinOf(turn) : NO_KIN;
  return { ...turn, ...kin, ...(again ? { entries: await readEffects(meta.runId, reply.seq) } : {}) };
}

/** Names the tools that are others since a reply asked for them: a fork may answer calls that its parent's code asked for. */
async function changedSince(reply: Reply, { log, meta }: Step): Promise<ReadonlySet<string>> {
  const { parent, pin } = meta;
  if (parent?.at === undefined || reply.seq > parent.at) return changedTools(log);
  const before = await mustRead(parent.runId);
  return new Set([...changedTools(log), ...changedTools(await readLog(parent.runId)), ...changedIn(before.pin, pin)]);
}

/** Every call may use up its tries, and wait once for an attempt that may still be at work; beyond that the step itself is at fault. */
export function isWornOut({ reply, meta, agent }: Turn): boolean {
  const tries = reply.calls.map(({ tool }) => agent?.tools.find(({ name }) => name === tool)?.maxAttempts ?? meta.policy.maxAttempts);
  return meta.attempts > 2 + tries.reduce((sum, each) => sum + each + 1, 0);
}
