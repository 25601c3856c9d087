import * as z from 'zod';
import { effectClass } from './effect-class.ts';
import { fileRef } from './file.ts';
import { json } from './json.ts';
import { servedPin } from './pin.ts';

export { type EffectClass, effectClass } from './effect-class.ts';

/** The version of every stored item's shape. An item with a higher one was written by newer code. */
export const SCHEMA_VERSION = 1;

const seq = z.int().positive();
const index = z.int().nonnegative();
const entry = { v: z.literal(SCHEMA_VERSION), seq, /** When it was recorded, ms since the epoch. */ at: z.number() };

/** The most people of whom one question may need a yes. */
export const MAX_NEEDED = 20;

/** Who is asked, for how long, and what happens when nobody answers. */
export const askTerms = z.object({
  /** Those who may answer; the agent's approvers when absent. */
  approvers: z.array(z.string()).optional(),
  expiresInSeconds: z.number().positive().optional(),
  /** Who is asked next when time is up, one after another, each for as long. */
  escalateTo: z.array(z.string()).optional(),
  /** When nobody is left to ask: the call is not run (`deny`, the default), or the run ends (`stop`). */
  onExpiry: z.enum(['deny', 'stop']).optional(),
});
export type AskTerms = z.infer<typeof askTerms>;

/** Why a call needs consent, and on what terms. */
export const approvalNeed = askTerms.extend({
  reason: z.string(),
  risk: z.enum(['normal', 'high']).optional(),
  /** How many different people must say yes, 1 when absent; the first no is a no. */
  needs: z.int().min(1).max(MAX_NEEDED).optional(),
});
export type ApprovalNeed = z.infer<typeof approvalNeed>;

/** What a call asks a person instead of running. */
export const questionNeed = askTerms.extend({
  text: z.string(),
  /** The answers to choose from; free text when absent. */
  options: z.array(z.string()).optional(),
});
export type QuestionNeed = z.infer<typeof questionNeed>;

/** One tool call of a reply, judged once, when the reply is recorded. */
export const call = z.object({
  index,
  /** The provider's own id, kept for the reader; it may repeat, so nothing is keyed by it. */
  providerId: z.string(),
  tool: z.string(),
  /** The arguments as the tool will get them; `null` when `invalid` says why there are none. */
  input: json,
  /** The arguments' text as the model wrote it, kept only when it could not be used. */
  rawInput: z.string().optional(),
  /** SHA-256 over tool name and canonical arguments, hex; with a key where the arguments hold secrets. */
  inputHash: z.string(),
  class: effectClass,
  /** The author's business key for it: one effect per key and tool, over all runs. */
  businessKey: z.string().optional(),
  /** Why the call can never run; it gets this as its error result. */
  invalid: z.string().optional(),
  /** The equal call of the same reply whose result holds for this one, which is `invalid` for that. */
  sameAs: index.optional(),
  /** Present when a person must consent before it runs. */
  approval: approvalNeed.optional(),
  /** Present when a person's answer is its result. */
  question: questionNeed.optional(),
  /** Present when its result may come later, from outside: how long it is waited for. */
  callback: z.object({ expiresInSeconds: z.number().positive(), heartbeatSeconds: z.number().positive().optional() }).optional(),
  /** The places in the arguments where masks stand for secrets, as JSON pointers. The secrets are kept apart, and sealed. */
  secrets: z.array(z.string()).optional(),
  /** The marks of secrets in the output. */
  secretOutput: z.array(z.string()).optional(),
});
export type Call = z.infer<typeof call>;

export const usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
});
export type Usage = z.infer<typeof usage>;

/** Why the model stopped: `cut` is the output limit, `other` anything a provider adds. */
export const finish = z.enum(['stop', 'calls', 'cut', 'refused', 'other']);

/** By how much the budgets of a run are raised. */
export const raises = z.object({
  turns: z.number().positive().optional(),
  seconds: z.number().positive().optional(),
  tokens: z.number().positive().optional(),
  costUsd: z.number().positive().optional(),
});
export type Raises = z.infer<typeof raises>;

export const task = z.object({
  ...entry,
  type: z.literal('task'),
  agent: z.string(),
  input: json,
  /** What a run that starts another over is told of it: its plan, what was done, and what is open. */
  facts: z.string().optional(),
  /** What came with the messages to the runs that this one starts over. Their bytes stay where they are, with those runs. */
  files: z.array(fileRef).optional(),
});
export type Task = z.infer<typeof task>;

export const user = z.object({
  ...entry,
  type: z.literal('user'),
  messages: z
    .array(
      z.object({
        id: z.string(),
        text: z.string(),
        files: z.array(fileRef).optional(),
        at: z.number(),
        /** Present when somebody raised budgets of the run with it. */
        raise: raises.extend({ by: z.string() }).optional(),
      }),
    )
    .min(1),
});

export const reply = z.object({
  ...entry,
  type: z.literal('reply'),
  text: z.string(),
  /** The parts as the provider gave them (text, reasoning, calls, provider metadata). */
  content: z.array(json),
  calls: z.array(call),
  finish,
  /** The provider's own word for why it stopped. */
  rawFinish: z.string().optional(),
  usage,
  /** What it cost, US dollars, at the price that was known when it was recorded; absent when none was. */
  costUsd: z.number().nonnegative().optional(),
  model: z.string(),
  servedModel: z.string().optional(),
  requestId: z.string().optional(),
  /** How long the model took, ms. */
  ms: z.number(),
  attempts: z.int().positive(),
});
export type Reply = z.infer<typeof reply>;

/** The outcome of one call. A tool's failure is a result with `ok: false`. */
export const result = z.object({
  index,
  ok: z.boolean(),
  /** What the tool returned, or the sentence that says why there is nothing. */
  output: json,
  /** Tries spent on this call, with those of the equal calls just before it that failed. */
  attempts: z.int().nonnegative(),
  ms: z.number().optional(),
  /** Present for calls that write: the effect key, and what is known of the effect. */
  effect: z.object({ key: z.string(), state: z.enum(['done', 'failed', 'unknown', 'none']) }).optional(),
  /** Present when the output comes from an earlier equal call. */
  reused: z.boolean().optional(),
  /** Present when it ran with arguments that a person changed. */
  edited: z.object({ by: z.string(), input: json }).optional(),
});
export type Result = z.infer<typeof result>;

export const results = z.object({
  ...entry,
  type: z.literal('results'),
  /** The seq of the reply whose calls are answered. */
  reply: seq,
  results: z.array(result),
});
export type Results = z.infer<typeof results>;

export const askKind = z.enum(['approval', 'outcome-unknown', 'escalation', 'question', 'callback', 'restart']);
export type AskKind = z.infer<typeof askKind>;

/** What may be answered to a question, by the kind of its ask. `expired` is said by the clock alone. */
export const decision = z.enum([
  'approve',
  'deny',
  'done',
  'not-done',
  'retry',
  'result',
  'skip',
  'abort',
  'expired',
  'raise',
  'finish',
  'stop',
  'repin',
  'restart',
]);
export type Decision = z.infer<typeof decision>;

/** What a budget is counted in. `runs` is counted by the day alone. */
export const budgetUnit = z.enum(['turns', 'seconds', 'tokens', 'costUsd', 'runs']);
export type BudgetUnit = z.infer<typeof budgetUnit>;

/** The budgets of a run, and that of its agent's day: each is the reason of its ask, and of an end at it. */
export const budgetName = z.enum(['turn-limit', 'time-limit', 'token-limit', 'cost-limit', 'day-limit']);
export type BudgetName = z.infer<typeof budgetName>;

/** The budget that a question is about, in its unit, as it stood when it was asked. */
export const askedBudget = z.object({
  name: budgetName,
  unit: budgetUnit,
  limit: z.number(),
  spent: z.number(),
  /** By how much it is raised when nobody says by how much, and the least and the most that are taken. */
  by: z.number().positive(),
  least: z.number().positive(),
  most: z.number().positive(),
  /** The day that is meant, UTC, `yyyy-mm-dd`. */
  day: z.string().optional(),
});
export type AskedBudget = z.infer<typeof askedBudget>;

/** What `repin` gives a run: today's code (`hash` stands for what was shown of it), the model that is served now, or one that the answer names. */
export const offer = z.discriminatedUnion('of', [
  z.object({ of: z.literal('code'), hash: z.string() }),
  z.object({ of: z.literal('served'), model: z.string() }),
  z.object({ of: z.literal('model') }),
]);
export type Offer = z.infer<typeof offer>;

/** One thing asked. `index` names the call it is about; a question about the model step has none. */
export const question = z.object({
  kind: askKind,
  index: index.optional(),
  tool: z.string().optional(),
  input: json.optional(),
  inputHash: z.string().optional(),
  text: z.string(),
  choices: z.array(decision).min(1),
  risk: z.enum(['normal', 'high']).optional(),
  /** The answers to choose from with `result`; any when absent. */
  options: z.array(z.string()).optional(),
  needs: z.int().min(1).max(MAX_NEEDED).optional(),
  ...askTerms.shape,
  /** Present when a budget is reached: what `raise` raises. */
  budget: askedBudget.optional(),
  /** The effect key of the call whose result is awaited (`callback`), or whose effect another run of the lineage began, and how often the outside system gives a sign of life, s. */
  key: z.string().optional(),
  heartbeatSeconds: z.number().positive().optional(),
  /** What the run would be pinned to with `repin`. */
  offers: offer.optional(),
  /** When it is too late to answer, ms since the epoch; absent when it never is. */
  expiresAt: z.number().optional(),
});
export type Question = z.infer<typeof question>;

export const ask = z.object({
  ...entry,
  type: z.literal('ask'),
  kind: askKind,
  /** A stable word for why the run stopped, e.g. `repeated-call`. */
  reason: z.string(),
  /** The seq of the reply whose calls are asked about. */
  reply: seq.optional(),
  questions: z.array(question).min(1),
});
export type Ask = z.infer<typeof ask>;

/** The arguments that a person put in place of a call's own, checked as the model's are. */
export const edit = z.object({
  input: json,
  inputHash: z.string(),
  businessKey: z.string().optional(),
  /** As in the call. */
  secrets: z.array(z.string()).optional(),
});
export type Edit = z.infer<typeof edit>;

export const answerTo = z.object({
  index: index.optional(),
  decision,
  /** The result that a person or an outside system vouches for (`done`, `result`). */
  output: json.optional(),
  /** False when `output` says why there is no result; `result` alone has it. */
  ok: z.boolean().optional(),
  comment: z.string().optional(),
  /** By how much a budget is raised, in its unit, with `raise`. */
  amount: z.number().positive().optional(),
  /** Present when consent (`approve`) is to these arguments and not to those asked about. */
  edit: edit.optional(),
  /** What the run is pinned to from here on, with `repin`, and the tools that are gone or not what they were. */
  pin: servedPin.optional(),
  changedTools: z.array(z.string()).optional(),
});
export type AnswerTo = z.infer<typeof answerTo>;

/** The way by which an answer came. */
export const answerWay = z.enum(['mail link', 'webhook link', 'inbox', 'API', 'callback', 'clock', 'policy']);
export type AnswerWay = z.infer<typeof answerWay>;

/** What somebody answered to some of the questions of an ask. An ask may need several. */
export const answer = z.object({
  ...entry,
  type: z.literal('answer'),
  ask: seq,
  by: z.string(),
  via: answerWay,
  answers: z.array(answerTo).min(1),
});
export type Answer = z.infer<typeof answer>;

export const endStatus = z.enum(['completed', 'failed', 'cancelled']);
export type EndStatus = z.infer<typeof endStatus>;

export const end = z.object({
  ...entry,
  type: z.literal('end'),
  status: endStatus,
  /** A stable word, e.g. `final-reply`, `refused`, `output-limit`, `empty-reply`, `cancelled`, `aborted`. */
  reason: z.string(),
  /** The last text of the run, or the sentence that says why it ended. */
  text: z.string(),
});
export type End = z.infer<typeof end>;

/** One immutable entry of a run's log. */
export const runRecord = z.discriminatedUnion('type', [task, user, reply, results, ask, answer, end]);
export type RunRecord = z.infer<typeof runRecord>;

/** A record before it has its place and time. */
export type Draft<R extends RunRecord = RunRecord> = R extends RunRecord ? Omit<R, 'v' | 'seq' | 'at'> : never;
