import type { Agent } from '../../shared/agent.ts';
import { changesBetween } from '../../shared/drift.ts';
import { canonical, type Json } from '../../shared/json.ts';
import { versionOf } from '../../shared/machine.ts';
import type { Pin } from '../../shared/pin.ts';
import { pinnedOf } from '../../shared/pinned.ts';
import { sha256 } from './hash.ts';
import { todaysPin } from './pin.ts';
import { readPinned } from './pin-store.ts';

/** What is different between what a run is pinned to and an agent as this code has it. */
export interface Drift {
  /** What a run that starts now would be pinned to. */
  readonly today: Pin;
  /** Sentences for a person; none when nothing is different. */
  readonly changes: readonly string[];
  /** Tools of the pin that are gone or not what they were. */
  readonly changedTools: readonly string[];
  /** Stands for what was shown of today's code: a consent to it is a consent to nothing else. */
  readonly hash: string;
}

/** Holds a run's pin against an agent's code. */
export async function driftOf(runId: string, pin: Pin, agent: Agent): Promise<Drift> {
  const today = todaysPin(agent);
  const changes = [...(await textChanges(runId, pin, agent, today)), ...codeChange(pin, today)];
  return { today, changes, changedTools: changedIn(pin, today), hash: offerHash(today) };
}

/** Stands for a pin. Not every function knows which version is in service: what it offers is of any. */
export function offerHash({ hash = '', model, machine }: Pin, of: 'its version' | 'any version' = 'its version'): string {
  const version = of === 'its version' ? (versionOf(machine) ?? '') : '';
  return sha256([hash, model, version].join('\n')).slice(0, 32);
}

async function textChanges(runId: string, pin: Pin, agent: Agent, today: Pin): Promise<string[]> {
  if (pin.hash === today.hash && pin.model === today.model) return [];
  const kept = await readPinned(runId, pin.hash);
  const now = { model: today.model, pinned: pinnedOf(agent) };
  if (kept) return changesBetween({ model: pin.model, pinned: kept }, now);
  const model = changesBetween({ ...now, model: pin.model }, now);
  return pin.hash === today.hash ? model : [...model, 'the agent: what it was when the run began was not kept'];
}

/** Nobody says the version where it is not known. */
function codeChange({ machine: was }: Pin, { machine: is }: Pin): string[] {
  const [before, after] = [versionOf(was), versionOf(is)];
  return before === after || after === undefined ? [] : [`code: version ${before ?? 'unknown'} became version ${after}`];
}

/** Names the tools of a pin that are gone in another, or not what they were. */
export function changedIn({ tools = {} }: Pin, { tools: now = {} }: Pin): string[] {
  const same = (name: string) => canonical((tools[name] ?? null) as Json) === canonical((now[name] ?? null) as Json);
  return Object.keys(tools).filter((name) => !same(name));
}
