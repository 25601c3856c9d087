import { type Agent, findAgent } from '../../shared/agent.ts';
import { type PlannedStep, tokensIn } from '../../shared/budget.ts';
import type { Meta } from '../../shared/meta.ts';
import { allAgents } from './agents.ts';
import { specOf } from './tool-spec.ts';

/** What is known of a run's next model step beside its log: by it the step's spend is estimated. */
export function plannedStep({ agent: name, pin: { model }, summary }: Pick<Meta, 'agent' | 'pin' | 'summary'>): PlannedStep | undefined {
  const agent = findAgent(allAgents, name);
  if (!agent) return undefined;
  return {
    model,
    price: agent.price,
    overheadTokens: overheadOf(agent),
    maxOutputTokens: agent.modelSettings?.maxOutputTokens,
    summaries: summary?.spent,
  };
}

const overheads = new WeakMap<Agent, number>();

/** Estimates the tokens that go with every request: instructions and tools. */
export function overheadOf(agent: Agent): number {
  const known = overheads.get(agent);
  if (known !== undefined) return known;
  const tokens = tokensIn(agent.instructions) + tokensIn(JSON.stringify(agent.tools.map(specOf)));
  overheads.set(agent, tokens);
  return tokens;
}
