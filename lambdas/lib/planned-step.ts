import { type Agent, findAgent } from '../../shared/agent.ts';
import type { PlannedStep } from '../../shared/budget.ts';
import type { Meta } from '../../shared/meta.ts';
import { ASCII_PER_TOKEN, tokensOf } from '../../shared/tokens.ts';
import { specOf } from '../../shared/tool-spec.ts';
import { viewLimits } from '../../shared/view-limits.ts';
import { allAgents } from './agents.ts';
import { priceOf } from './pin.ts';

/** What is known of a run's next model step beside its log: by it the step's spend is estimated. */
export function plannedStep(meta: Pick<Meta, 'agent' | 'pin' | 'policy' | 'summary'>): PlannedStep | undefined {
  const { agent: name, pin, policy, summary } = meta;
  const { model } = pin;
  const agent = findAgent(allAgents, name);
  if (!agent) return undefined;
  return {
    model,
    price: priceOf(agent, model),
    overheadTokens: overheadOf(agent),
    maxOutputTokens: agent.modelSettings?.maxOutputTokens,
    mostTokens: viewLimits(policy, model).messageCharacters / ASCII_PER_TOKEN,
    summaries: summary?.spent,
  };
}

const overheads = new WeakMap<Agent, number>();

/** Estimates the tokens that go with every request: instructions and tools. */
export function overheadOf(agent: Agent): number {
  const known = overheads.get(agent);
  if (known !== undefined) return known;
  const tokens = tokensOf(agent.instructions) + tokensOf(JSON.stringify(agent.tools.map(specOf)));
  overheads.set(agent, tokens);
  return tokens;
}
