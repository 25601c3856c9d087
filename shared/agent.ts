import { z } from 'zod';
import { DeclarationError } from './errors.ts';
import type { Json } from './json.ts';
import type { Script } from './model.ts';
import { type Policy, type PolicySettings, policy } from './policy.ts';
import type { AnyTool } from './tool.ts';

/** An agent as its author writes it. */
export interface AgentDefinition {
  /** 1 to 40 letters, digits or `-`. */
  readonly name: string;
  readonly description: string;
  /** `<provider>/<model id>`: anthropic, bedrock, openai, openai-compatible or scripted. */
  readonly model: string;
  /** Settings passed to the provider as they are, e.g. `{ maxOutputTokens: 4096 }`. */
  readonly modelSettings?: { readonly maxOutputTokens?: number; readonly providerOptions?: Record<string, Record<string, Json>> };
  readonly instructions: string;
  readonly tools: readonly AnyTool[];
  readonly policy?: PolicySettings;
  /** The replies of the `scripted` model: used when `model` is `scripted/…`, and when the provider's key is not set. */
  readonly script?: Script;
}

export interface Agent extends Omit<AgentDefinition, 'policy'> {
  readonly policy: Policy;
}

/** Declares an agent. Throws a DeclarationError that names what is wrong. */
export function defineAgent(definition: AgentDefinition): Agent {
  const wrong = faultOf(definition);
  if (wrong) throw new DeclarationError(`Cannot use agent "${definition?.name}": ${wrong}`);
  return { ...definition, policy: policy.parse(definition.policy ?? {}) };
}

function faultOf(agent: AgentDefinition): string | undefined {
  if (!/^[a-zA-Z0-9-]{1,40}$/.test(agent?.name ?? '')) return 'its name must be 1 to 40 letters, digits or "-"';
  if (!/^[a-z-]+\/.+/.test(agent.model ?? '')) return `its model must be "<provider>/<model id>", not "${agent.model}"`;
  if (typeof agent.instructions !== 'string') return 'it needs instructions';
  if (!Array.isArray(agent.tools)) return 'it needs a list of tools (which may be empty)';
  const names = agent.tools.map((tool) => tool.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) return `two of its tools are named "${twice}"`;
  const limits = z.strictObject(policy.shape).safeParse(agent.policy ?? {});
  return limits.success
    ? undefined
    : `policy.${limits.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; policy.')}`;
}

/** Finds an agent by its name. */
export const findAgent = (agents: readonly Agent[], name: string): Agent | undefined => agents.find((agent) => agent.name === name);
