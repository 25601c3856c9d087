import { expect } from 'vitest';
import { asked, type Overdrawn } from '../../shared/budget.ts';
import { type Circumstances, decide, type Next } from '../../shared/decide.ts';
import { callFacts, type EffectRecord, type LedgerFacts, type Plan, planCall } from '../../shared/effect.ts';
import { canonical, type Json } from '../../shared/json.ts';
import type { LineageEffect } from '../../shared/lineage.ts';
import { type Log, latest } from '../../shared/log.ts';
import { policy } from '../../shared/policy.ts';
import type {
  AnswerTo,
  Ask,
  BudgetName,
  BudgetUnit,
  Call,
  Decision,
  Draft,
  EndStatus,
  Question,
  Raises,
  Reply,
  Result,
  RunRecord,
} from '../../shared/record.ts';

/** Builders of logs: each makes a record without its place, which `logOf` gives it. */

export const RUN_ID = '01JZ0000000000000000000000';
/** The time of the record at seq 1; each later one is a second after it, ms. */
const FIRST_AT = 1_000_000;

/** A record to be: a draft, or what makes one from the log so far. */
export type Step = Draft | ((log: Log) => Draft);

/** Gives records their seq and time, in order. */
export const logOf = (...steps: readonly Step[]): Log => steps.reduce<Log>(append, []);

/** Puts one more record at the end of a log. */
export function append(log: Log, step: Step): Log {
  const seq = log.length + 1;
  const draft = typeof step === 'function' ? step(log) : step;
  return [...log, { v: 1, seq, at: FIRST_AT + seq * 1000, ...draft } as RunRecord];
}

export const task = (input: Json = 'Do it'): Draft => ({ type: 'task', agent: 'tester', input });

export const user = (...texts: string[]): Draft => ({
  type: 'user',
  messages: texts.map((text) => ({ id: `m-${text}`, text, at: FIRST_AT })),
});

/** A call before it has its place in the reply. */
export type CallSpec = Omit<Call, 'index'>;

/** A call of a tool that writes once; its hash is its tool and input. */
export const call = (tool = 'pay', more: Partial<CallSpec> = {}): CallSpec => {
  const { input = { amount: 1 } } = more;
  return { providerId: 'c0', tool, input, inputHash: `${tool} ${canonical(input)}`, class: 'once', ...more };
};

export const guarded = (tool = 'pay', more: Partial<CallSpec> = {}): CallSpec =>
  call(tool, { approval: { reason: 'It is dear' }, ...more });

/** A reply with calls. */
export const calling = (...calls: CallSpec[]): Draft<Reply> => replying({ calls: calls.map((each, index) => ({ index, ...each })) });

/** A reply with text alone. */
export const saying = (text: string, finish: Reply['finish'] = 'stop'): Draft<Reply> => replying({ text, finish });

export const replying = (more: Partial<Draft<Reply>>): Draft<Reply> => ({
  type: 'reply',
  text: '',
  content: [],
  calls: [],
  finish: more.calls?.length ? 'calls' : 'stop',
  usage: { inputTokens: 10, outputTokens: 5 },
  model: 'scripted/tester',
  ms: 1,
  attempts: 1,
  ...more,
});

export type ResultSpec = Partial<Omit<Result, 'index'>>;

export const ok = (more: ResultSpec = {}): ResultSpec => ({ ok: true, output: 'done', attempts: 1, ...more });
export const bad = (attempts = 1, more: ResultSpec = {}): ResultSpec => ({ ok: false, output: 'It failed', attempts, ...more });

/** The result of a write, by the key of the call at `seq` and `index`. */
export const wrote = (state: 'done' | 'failed' | 'unknown', seq: number, index = 0, more: ResultSpec = {}): ResultSpec => ({
  ...(state === 'done' ? ok() : bad()),
  effect: { key: keyAt(seq, index), state },
  ...more,
});

export const keyAt = (seq: number, index = 0): string => `${RUN_ID}/${seq}/${index}`;

/** The results of the latest reply, in call order. */
export const settling =
  (...results: ResultSpec[]) =>
  (log: Log): Draft => ({
    type: 'results',
    reply: lastReply(log).seq,
    results: results.map((result, index) => ({ index, ok: true, output: null, attempts: 1, ...result })),
  });

export const lastReply = (log: Log): Reply => latest(log, 'reply') as Reply;

/** An ask about calls of the latest reply, one question each. */
export const asking =
  (...questions: Partial<Question>[]) =>
  (log: Log): Draft => {
    const kind = questions[0]?.kind ?? 'approval';
    return { type: 'ask', kind, reason: 'test', reply: lastReply(log).seq, questions: questions.map((each) => questionOf(log, each)) };
  };

function questionOf(log: Log, { kind = 'approval', index = 0, ...more }: Partial<Question>): Question {
  const { tool, input, inputHash } = lastReply(log).calls[index] as Call;
  return { kind, index, tool, input, inputHash, text: 'Well?', choices: ['approve', 'deny', 'retry', 'abort'], ...more };
}

/** An ask about the model step. */
export const askingAboutModel = (reason = 'turn-limit'): Draft<Ask> => ({
  type: 'ask',
  kind: 'escalation',
  reason,
  questions: [{ kind: 'escalation', text: 'Go on?', choices: ['retry', 'abort'] }],
});

/** An ask about a budget that is used up. */
export const askingAboutBudget = (name: BudgetName, unit: BudgetUnit, limit: number, more: Partial<Overdrawn> = {}): Draft<Ask> =>
  asked(name, unit, { spent: limit, step: 1, limit, ...more });

/** A message that raises budgets. */
export const raising = (raise: Raises, text = ''): Draft => ({
  type: 'user',
  messages: [{ id: `m-${JSON.stringify(raise)}`, text, at: FIRST_AT, raise: { by: 'Ann', ...raise } }],
});

/** The same decision on every question of the ask, or one entry for each. */
export const answering =
  (given: Decision | AnswerTo[], more: Partial<AnswerTo> = {}) =>
  (log: Log): Draft => {
    const { seq, questions } = latest(log, 'ask') as Ask;
    const all = typeof given === 'string' ? questions.map(({ index }) => ({ ...withIndex(index), decision: given, ...more })) : given;
    return { type: 'answer', ask: seq, by: 'Ann', via: 'API', answers: all };
  };

const withIndex = (index: number | undefined) => (index === undefined ? {} : { index });

export const ending = (status: EndStatus = 'completed', reason = 'test'): Draft => ({ type: 'end', status, reason, text: 'The end' });

/** Nothing from outside, and time to spare. */
export const CALM: Circumstances = {
  policy: policy.parse({}),
  messages: false,
  waitUntil: 0,
  now: FIRST_AT,
  events: 0,
  eventLimit: 1000,
};

/** Reads as a rule: given a log, when the circumstances are these, it gives this. */
export const given = (...steps: Step[]) => {
  const log = logOf(...steps);
  const when = (around: Partial<Circumstances>) => ({
    gives: (next: Expected) => expect(decide(log, { ...CALM, ...around })).toEqual(next),
  });
  return { when, gives: (next: Expected) => when({}).gives(next) };
};

type Expected = Next | { readonly [field: string]: unknown };

/** A ledger entry of the call at seq 2, index 0, begun for it and left open. */
export const entry = (more: Partial<EffectRecord> = {}): EffectRecord => ({
  v: 1,
  runId: RUN_ID,
  key: keyAt(2),
  call: keyAt(2),
  tool: 'pay',
  class: 'once',
  inputHash: 'pay {"amount":1}',
  state: 'unknown',
  epoch: 1,
  requestId: 'r1',
  attempts: 1,
  seen: 2,
  startedAt: FIRST_AT,
  deadline: FIRST_AT + 60_000,
  ...more,
});

/** What is known besides the log when a call of the latest reply is planned. */
export interface Known extends Partial<LedgerFacts> {
  readonly index?: number;
  readonly maxAttempts?: number;
  readonly onRepeat?: 'run' | 'reuse' | 'ask';
  readonly met?: LineageEffect;
}

/** Plans a call (the first one, unless told) of the latest reply. */
export function planIn(log: Log, { index = 0, maxAttempts = 3, onRepeat = 'run', met, ...ledger }: Known = {}): Plan {
  const reply = lastReply(log);
  const facts = callFacts(log, reply, reply.calls[index] as Call, { maxAttempts, onRepeat, met });
  return planCall(facts, { entry: undefined, runId: RUN_ID, over: true, now: FIRST_AT, begunUnmarked: false, ...ledger });
}

/** Reads as a rule: given a log and a ledger, it gives this plan. */
export const givenCall = (...steps: Step[]) => {
  const log = logOf(...steps);
  const when = (known: Known) => ({
    gives: (plan: { readonly [field: string]: unknown }) => expect(planIn(log, known)).toMatchObject(plan),
  });
  return { when, gives: (plan: { readonly [field: string]: unknown }) => when({}).gives(plan) };
};
