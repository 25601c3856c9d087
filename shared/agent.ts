import * as z from 'zod';
import { DeclarationError } from './errors.ts';
import type { Json } from './json.ts';
import type { Script } from './model.ts';
import { type BudgetPerDay, budgetPerDay, type Policy, type PolicySettings, policy } from './policy.ts';
import { type Price, price } from './prices.ts';
import { eachOnce, MAX_RECIPIENTS, recipientFault, type Webhooks, webhooksFault } from './recipient.ts';
import type { Question } from './record.ts';
import { lifeOf } from './standing.ts';
import { type AnyTool, isTime } from './tool.ts';

/** Who is asked when a run of the agent needs somebody, and how long an approval may take. */
export interface AskSettings {
  /** Mail addresses, and `webhook:<name>`. Nobody is written to when there are none; the inbox and the command show every ask. */
  readonly approvers?: readonly string[];
  /** Addresses that asks are posted to, by name. Only the name is ever stored or shown: the address may be a secret. */
  readonly webhooks?: Webhooks;
  /** `code`: an answer by link to an ask of high risk needs a code that the recipient is sent. None is needed unless told so. */
  readonly confirmHighRisk?: 'code';
  /** How long consent and answers are waited for, s: 7 days unless told otherwise. */
  readonly expiresAfterSeconds?: number;
  /** Who is asked next when time is up, one after another, each for as long. */
  readonly escalateTo?: readonly string[];
  /** When nobody is left to ask: the call is not run (`deny`, the default), or the run ends (`stop`). */
  readonly onExpiry?: 'deny' | 'stop';
}

/** Seven days, s. */
export const DEFAULT_ASK_SECONDS = 7 * 24 * 3600;

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
  /** What all its runs together may spend in a day, UTC. Nothing is counted by the day when it is absent. */
  readonly budgetPerDay?: BudgetPerDay;
  /** What its model costs, where the list of prices does not know it or is wrong for you. */
  readonly price?: Price;
  readonly asks?: AskSettings;
  /** How long a run is kept after its end, days: then all of it is removed. What the deployment says when absent. */
  readonly retention?: { readonly afterDays: number };
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
  const wrongAsk = askFault(agent.asks ?? {});
  if (wrongAsk) return wrongAsk;
  const { afterDays = 1 } = agent.retention ?? {};
  if (!isTime(afterDays)) return `retention.afterDays must be a number above 0, not ${afterDays}`;
  return (
    faultIn('policy', z.strictObject(policy.shape), agent.policy ?? {}) ??
    faultIn('budgetPerDay', budgetPerDay, agent.budgetPerDay ?? {}) ??
    (agent.price === undefined ? undefined : faultIn('price', price, agent.price))
  );
}

function faultIn(name: string, schema: z.ZodType, given: unknown): string | undefined {
  const { error } = schema.safeParse(given);
  return error?.issues.map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`).join('; ');
}

function askFault(asks: AskSettings): string | undefined {
  const { approvers = [], escalateTo = [], webhooks = {}, confirmHighRisk, onExpiry = 'deny' } = asks;
  const { expiresAfterSeconds = DEFAULT_ASK_SECONDS } = asks;
  const wrongWebhook = webhooksFault(webhooks);
  if (wrongWebhook) return `asks.webhooks: ${wrongWebhook}`;
  for (const [name, list] of Object.entries({ approvers, escalateTo })) {
    const [stranger] = list.flatMap((each) => recipientFault(String(each), webhooks) ?? []);
    if (stranger !== undefined) return `asks.${name}: ${stranger}`;
    if (list.length > MAX_RECIPIENTS) return `asks.${name}: at most ${MAX_RECIPIENTS} can be written to, not ${list.length}`;
  }
  if (onExpiry !== 'deny' && onExpiry !== 'stop') return `asks.onExpiry must be deny or stop, not "${onExpiry}"`;
  if (confirmHighRisk !== undefined && confirmHighRisk !== 'code') return `asks.confirmHighRisk must be "code", not "${confirmHighRisk}"`;
  if (!isTime(expiresAfterSeconds)) return `asks.expiresAfterSeconds must be a number above 0, not ${expiresAfterSeconds}`;
  return undefined;
}

/** A question as it is asked now: on its own terms, else on those of the agent, and open until its time is up. */
export function askedNow(question: Question, asks: AskSettings = {}, now: number): Question {
  const { approvers = [], escalateTo = [], expiresAfterSeconds = DEFAULT_ASK_SECONDS } = asks;
  const terms = {
    expiresInSeconds: expiresAfterSeconds,
    ...(approvers.length > 0 ? { approvers: eachOnce(approvers) } : {}),
    ...(escalateTo.length > 0 ? { escalateTo: eachOnce(escalateTo) } : {}),
  };
  const asked = question.expiresInSeconds === undefined ? { ...terms, ...question } : question;
  return { ...asked, ...lifeOf(asked, now) };
}

/** Finds an agent by its name. */
export const findAgent = (agents: readonly Agent[], name: string): Agent | undefined => agents.find((agent) => agent.name === name);
