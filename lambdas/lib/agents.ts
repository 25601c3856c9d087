import { agents } from '#agents';
import { type Agent, type AskSettings, findAgent } from '../../shared/agent.ts';
import { DeclarationError } from '../../shared/errors.ts';

const twice = agents.find((agent, i) => agents.findIndex(({ name }) => name === agent.name) !== i);
if (twice) throw new DeclarationError(`Cannot use agent "${twice.name}": two agents have this name`);

/** Every agent of this deployment. */
export const allAgents: readonly Agent[] = agents;

/** The agent of a run. Throws when this code has no agent of that name. */
export function agentOf(name: string): Agent {
  const agent = findAgent(agents, name);
  if (!agent) throw new DeclarationError(`Cannot go on: this deployment has no agent "${name}"; deploy code that has it`);
  return agent;
}

/** How an agent wants people to be asked; nothing is known of one that this deployment does not have. */
export const asksOf = (name: string): AskSettings => findAgent(agents, name)?.asks ?? {};
