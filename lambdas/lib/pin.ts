import type { Agent } from '../../shared/agent.ts';
import { canonical, type Json } from '../../shared/json.ts';
import type { Pin } from '../../shared/pin.ts';
import { pinnedOf } from '../../shared/pinned.ts';
import type { Price } from '../../shared/prices.ts';
import { sha256 } from './hash.ts';
import { resolveModel } from './model/resolve-model.ts';
import { settings } from './settings.ts';

/** The part of a pin that an agent's code says. */
export type CodePin = { readonly [Part in 'hash' | 'instructions' | 'settings' | 'tools']-?: NonNullable<Pin[Part]> };

/** META is written in every step, so its hashes are short: 64 bits tell the versions of one text apart. */
const short = (text: string): string => sha256(text).slice(0, 16);

const made = new WeakMap<Agent, CodePin>();

/** What an agent's code would pin a run to; made once in a worker's life, so that comparing costs a step nothing. */
export function codePinOf(agent: Agent): CodePin {
  const known = made.get(agent);
  if (known) return known;
  const pinned = pinnedOf(agent);
  const tools = pinned.tools.map((tool) => [tool.name, { class: tool.class, hash: short(canonical(tool as unknown as Json)) }] as const);
  const code = {
    hash: sha256(canonical(pinned as unknown as Json)).slice(0, 32),
    instructions: short(pinned.instructions),
    settings: short(canonical(pinned.settings)),
    tools: Object.fromEntries(tools),
  };
  made.set(agent, code);
  return code;
}

/** The model that a run of an agent that starts now is pinned to. */
export const modelOf = ({ name, model, script }: Pick<Agent, 'name' | 'model' | 'script'>): string =>
  resolveModel(model, script !== undefined, name, process.env);

/** The price that an agent says, if it is that of a model: one that a person named for a run has its own. */
export const priceOf = (agent: Agent, model: string): Price | undefined => (model === modelOf(agent) ? agent.price : undefined);

/** What a run of an agent that starts now is pinned to. */
export const todaysPin = (agent: Agent): Pin => ({
  model: modelOf(agent),
  machine: settings().stateMachineArn,
  ...codePinOf(agent),
});
