import { type Agent, findAgent } from '../../shared/agent.ts';
import { canonical, type Json } from '../../shared/json.ts';
import type { Pin } from '../../shared/pin.ts';
import { isSamePin, pinNow } from '../../shared/pin-now.ts';
import type { Ask, Draft } from '../../shared/record.ts';
import { allAgents } from './agents.ts';
import { driftOf } from './drift.ts';
import { codePinOf } from './pin.ts';
import { readPinned } from './pin-store.ts';
import { askAboutCode } from './restart-ask.ts';
import type { Step } from './step.ts';

/** What a step goes by: the agent, and META, both as the run is pinned to them. */
export interface Held {
  readonly agent: Agent;
  readonly step: Step;
}

/**
 * Holds a run's pin against the code at hand: a comparison of two hashes while they agree. Instructions and settings that are
 * others now are taken from what was kept when the run was pinned; tools that are others are asked about.
 */
export async function heldBy(step: Step): Promise<Held | { readonly ask: Draft<Ask> }> {
  const { meta, log } = step;
  const agent = findAgent(allAgents, meta.agent);
  if (!agent) return { ask: askAboutCode({ reason: 'agent-missing', why: `This code has no agent "${meta.agent}".` }, undefined) };
  const pin = pinNow(meta.pin, log);
  const held = isSamePin(pin, meta.pin) ? step : { ...step, meta: { ...meta, pin } };
  if (pin.hash === undefined || pin.hash === codePinOf(agent).hash) return { agent, step: held };
  const pinned = hasSameTools(pin, agent) ? await asPinned(meta.runId, pin.hash, agent) : undefined;
  if (pinned) return { agent: pinned, step: held };
  const why = `The code that carries this run has another agent "${agent.name}" than the run is pinned to.`;
  return { ask: askAboutCode({ reason: 'pin-drift', why }, await driftOf(meta.runId, pin, agent)) };
}

/** In the order in which the model is told of them. */
const hasSameTools = ({ tools = {} }: Pin, agent: Agent): boolean => {
  const now = codePinOf(agent).tools;
  return Object.keys(tools).join() === Object.keys(now).join() && canonical(tools as Json) === canonical(now as unknown as Json);
};

/** What was pinned never changes, so a warm worker keeps the newest. */
const MAX_KEPT = 100;
const kept = new Map<string, Agent | undefined>();

/** An agent with the instructions and settings that a run is pinned to; undefined where those were not kept. */
async function asPinned(runId: string, hash: string, agent: Agent): Promise<Agent | undefined> {
  const key = `${runId} ${hash}`;
  if (!kept.has(key)) {
    const pinned = await readPinned(runId, hash);
    const modelSettings = pinned?.settings as NonNullable<Agent['modelSettings']>;
    kept.set(key, pinned && { ...agent, instructions: pinned.instructions, modelSettings });
  }
  for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest);
  return kept.get(key);
}
