import fc from 'fast-check';
import type { EffectRecord } from '../../shared/effect.ts';
import type { Json } from '../../shared/json.ts';
import { policy } from '../../shared/policy.ts';
import { answerWay, type Decision, decision, effectClass, finish, type Question, type RunRecord } from '../../shared/record.ts';
import type { Branch, Person, Scenario, SimReply, SimTool } from './simulation.ts';

/** Arbitraries of what the core works on: JSON, records, and whole scenarios for the simulation. */

/** Any sequence of UTF-16 code units, lone surrogates and NUL among them. */
export const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.nat(0xffff).map((n) => String.fromCharCode(n)) }),
);

/** Any JSON value but one that holds -0, which JSON turns into 0. */
export const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(
      fc.constant(null),
      fc.boolean(),
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString', '')), tie('value')), { maxLength: 4 })
      .map(objectOf),
  ),
})).value;

/** Makes own fields of all keys, `__proto__` too, as JSON.parse does. */
function objectOf(fields: [string, Json][]): Json {
  const object: { [key: string]: Json } = {};
  for (const [key, value] of fields) Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  return object;
}

/** A value nested so many levels deep. */
export const nested = (levels: number): Json => {
  let value: Json = 'bottom';
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { in: value };
  return value;
};

const seq = fc.integer({ min: 1, max: 2 ** 31 });
const index = fc.nat(200);
const count = fc.nat(1e9);
/** Fields that may be absent, never `undefined`. */
const optional = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { requiredKeys: [] });
const both = <A extends object, B extends object>(a: fc.Arbitrary<A>, b: fc.Arbitrary<B>) =>
  fc.tuple(a, b).map(([x, y]) => ({ ...x, ...y }));

const entry = { v: fc.constant(1 as const), seq, at: count };
const call = both(
  fc.record({ index, providerId: text, tool: text, input: json, inputHash: text, class: fc.constantFrom(...effectClass.options) }),
  optional({ rawInput: text, businessKey: text, invalid: text, approval: fc.record({ reason: text }) }),
);
const usage = both(
  fc.record({ inputTokens: count, outputTokens: count }),
  optional({ cacheReadTokens: count, cacheWriteTokens: count, reasoningTokens: count }),
);
const result = both(
  fc.record({ index, ok: fc.boolean(), output: json, attempts: count }),
  optional({
    ms: count,
    effect: fc.record({ key: text, state: fc.constantFrom('done', 'failed', 'unknown', 'none') }),
    reused: fc.boolean(),
    edited: fc.record({ by: text, input: json }),
  }),
);
const askKind = fc.constantFrom('approval', 'outcome-unknown', 'escalation', 'question', 'callback', 'restart');
const anyDecision = fc.constantFrom(...decision.options);
const question = both(
  fc.record({ kind: askKind, text, choices: fc.array(anyDecision, { minLength: 1, maxLength: 4 }) }),
  optional({
    index,
    tool: text,
    input: json,
    inputHash: text,
    options: fc.array(text, { maxLength: 3 }),
    needs: fc.integer({ min: 1, max: 20 }),
    approvers: fc.array(text, { maxLength: 3 }),
    escalateTo: fc.array(text, { maxLength: 3 }),
    onExpiry: fc.constantFrom('deny', 'stop'),
    expiresAt: count,
    key: text,
  }),
);
const edit = both(fc.record({ input: json, inputHash: text }), optional({ businessKey: text }));
const answerTo = both(fc.record({ decision: anyDecision }), optional({ index, output: json, comment: text, ok: fc.boolean(), edit }));

/** A record of any type, with anything in it that its schema allows. */
export const runRecord = fc.oneof(
  fc.record({ ...entry, type: fc.constant('task'), agent: text, input: json }),
  fc.record({
    ...entry,
    type: fc.constant('user'),
    messages: fc.array(fc.record({ id: text, text, at: count }), { minLength: 1, maxLength: 3 }),
  }),
  both(
    fc.record({
      ...entry,
      type: fc.constant('reply'),
      text,
      content: fc.array(json, { maxLength: 3 }),
      calls: fc.array(call, { maxLength: 3 }),
      finish: fc.constantFrom(...finish.options),
      usage,
      model: text,
      ms: count,
      attempts: seq,
    }),
    optional({ rawFinish: text, servedModel: text, requestId: text }),
  ),
  fc.record({ ...entry, type: fc.constant('results'), reply: seq, results: fc.array(result, { maxLength: 3 }) }),
  both(
    fc.record({
      ...entry,
      type: fc.constant('ask'),
      kind: askKind,
      reason: text,
      questions: fc.array(question, { minLength: 1, maxLength: 3 }),
    }),
    optional({ reply: seq }),
  ),
  fc.record({
    ...entry,
    type: fc.constant('answer'),
    ask: seq,
    by: text,
    via: fc.constantFrom(...answerWay.options),
    answers: fc.array(answerTo, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ ...entry, type: fc.constant('end'), status: fc.constantFrom('completed', 'failed', 'cancelled'), reason: text, text }),
) as fc.Arbitrary<RunRecord>;

const TOOLS = ['look', 'dedupe', 'askable', 'blind'] as const;
const CLASS_OF = { look: 'read', dedupe: 'idempotent', askable: 'reconcile', blind: 'once' } as const;

/** Faults before an effect, and then perhaps after it; a tool that refuses in the end has never thrown after its effect. */
const behaviour = (lasts: SimTool['last'][]) =>
  fc
    .record({
      plays: fc.array(fc.constantFrom('throws-before', 'throws-after'), { maxLength: 4 }),
      last: fc.constantFrom(...lasts),
    })
    .map(({ plays, last }) => (last === 'refuses' && plays.includes('throws-after') ? { plays, last: 'works' } : { plays, last }));

const toolOf = (name: (typeof TOOLS)[number], lasts: SimTool['last'][], business: fc.Arbitrary<boolean>) =>
  both(
    behaviour(lasts),
    fc.record({
      class: fc.constant(CLASS_OF[name]),
      guarded: fc.boolean(),
      needs: fc.constantFrom(1, 1, 2, 3),
      onRepeat: fc.constantFrom('run', 'reuse', 'ask'),
      business,
      blindFinds: fc.nat(2),
    }),
  ) as fc.Arbitrary<SimTool>;

const simTools = (lasts: SimTool['last'][], business: fc.Arbitrary<boolean>) =>
  fc.record(Object.fromEntries(TOOLS.map((name) => [name, toolOf(name, lasts, business)]))) as fc.Arbitrary<Record<string, SimTool>>;

const simCall = fc.record({
  tool: fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...TOOLS) }, { weight: 1, arbitrary: fc.constant('ghost') }),
  input: fc.nat(1),
  invalid: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

const simReply: fc.Arbitrary<SimReply> = fc.record({
  text: fc.constantFrom('', ' ', 'Text'),
  finish: fc.oneof(
    { weight: 12, arbitrary: fc.constant('calls' as const) },
    { weight: 2, arbitrary: fc.constantFrom('stop' as const, 'cut' as const) },
    { weight: 1, arbitrary: fc.constantFrom('refused' as const, 'other' as const) },
  ),
  calls: fc.oneof({ weight: 6, arbitrary: fc.array(simCall, { minLength: 1, maxLength: 3 }) }, { weight: 1, arbitrary: fc.constant([]) }),
  overloads: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) }),
});

/** Answers at random, and now and then aborts. */
const randomPerson: fc.Arbitrary<Person> = fc.array(fc.nat(1000), { minLength: 1, maxLength: 12 }).map((picks) => {
  const person: Person = (question, { nth }) => pickFrom(question, picks[nth % picks.length] as number);
  return Object.assign(person, { [fc.toStringMethod]: () => `person ${JSON.stringify(picks)}` });
});

function pickFrom({ choices }: Question, pick: number): Decision {
  const allowed = pick % 10 === 0 ? choices : choices.filter((choice) => choice !== 'abort');
  return allowed[pick % allowed.length] as Decision;
}

/** Knows what has happened and says so, consents to some calls, and has everything else tried again. */
const truthfulPerson: fc.Arbitrary<Person> = fc.boolean().map((lenient) => {
  const person: Person = ({ kind, input }, { happened }) => {
    if (kind === 'approval') return lenient || input === 0 ? 'approve' : 'deny';
    if (kind === 'outcome-unknown') return happened ? 'done' : 'not-done';
    return 'retry';
  };
  return Object.assign(person, { [fc.toStringMethod]: () => `truthful person (${lenient ? 'lenient' : 'strict'})` });
});

const crashes = (most: number) =>
  fc.uniqueArray(fc.record({ at: fc.nat(120), after: fc.boolean() }), { maxLength: most, selector: ({ at }) => at });

/** Entries that another run left under business keys; it had its own answers, at its own seqs. */
const foreign: fc.Arbitrary<EffectRecord[]> = fc.uniqueArray(
  fc
    .record({
      tool: fc.constantFrom('dedupe', 'askable', 'blind'),
      input: fc.nat(1),
      state: fc.constantFrom('started', 'done', 'failed', 'unknown'),
      seen: fc.constantFrom(2, 50),
      attempts: fc.integer({ min: 1, max: 3 }),
    })
    .map(
      ({ tool, input, ...more }): EffectRecord =>
        ({
          v: 1,
          runId: 'another',
          key: `${tool}/${input}`,
          call: 'another/2/0',
          tool,
          class: CLASS_OF[tool as 'dedupe'],
          inputHash: `${tool} ${input}`,
          epoch: 7,
          requestId: 'another',
          startedAt: 0,
          deadline: 5_000,
          ...(more.state === 'done' ? { ok: true, output: 'done elsewhere' } : {}),
          ...more,
        }) as EffectRecord,
    ),
  { maxLength: 3, selector: ({ key }) => key },
);

const limits = fc.record({
  maxTurns: fc.integer({ min: 1, max: 6 }),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
  maxModelAttempts: fc.integer({ min: 1, max: 3 }),
  maxBadReplies: fc.integer({ min: 1, max: 3 }),
});

/** Anything at all: any agent, model, people and platform. */
export const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  policy: limits,
  tools: simTools(['works', 'works', 'refuses', 'output-lost'], fc.boolean()),
  replies: fc.array(simReply, { minLength: 1, maxLength: 6 }),
  endless: fc.boolean(),
  person: randomPerson,
  edits: fc.boolean(),
  patience: fc.nat(14),
  messagesAt: fc.array(fc.nat(6), { maxLength: 2 }),
  cancelAt: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(6) }),
  deathsReported: fc.boolean(),
  foreign,
  crashes: crashes(4),
});

/** A run that comes to its end, with people who know what happened: a crash must not show in it. */
export const steadyScenario: fc.Arbitrary<Scenario> = fc.record({
  policy: limits.map((all) => policy.parse({ ...all, maxTurns: 500 })),
  tools: simTools(['works', 'works', 'refuses'], fc.boolean()).map(({ look, ...writing }) => ({
    ...writing,
    look: { ...(look as SimTool), plays: [] },
  })),
  replies: fc.array(simReply, { minLength: 1, maxLength: 5 }),
  endless: fc.constant(false),
  person: truthfulPerson,
  edits: fc.constant(false),
  patience: fc.constant(1_000),
  messagesAt: fc.array(fc.nat(4), { maxLength: 1 }),
  cancelAt: fc.constant(undefined),
  deathsReported: fc.boolean(),
  foreign: fc.constant([]),
  crashes: crashes(3),
});

/** A run that goes on as others, with people who know what happened, tools that never ask about repeats, and no other arguments. */
export const anyLineage: fc.Arbitrary<{ scenario: Scenario; branches: Branch[] }> = fc.record({
  scenario: fc.record({
    policy: limits.map((all) => policy.parse({ ...all, maxTurns: 12 })),
    tools: simTools(['works', 'works', 'refuses', 'output-lost'], fc.boolean()).map(
      (tools) =>
        Object.fromEntries(
          Object.entries(tools).map(([name, tool]) => [name, tool.onRepeat === 'ask' ? { ...tool, onRepeat: 'run' } : tool]),
        ) as typeof tools,
    ),
    replies: fc.array(simReply, { minLength: 1, maxLength: 5 }),
    endless: fc.boolean(),
    person: truthfulPerson,
    edits: fc.constant(false),
    patience: fc.nat(20),
    messagesAt: fc.array(fc.nat(4), { maxLength: 1 }),
    cancelAt: fc.constant(undefined),
    deathsReported: fc.boolean(),
    foreign: fc.constant([]),
    crashes: crashes(3),
  }),
  branches: fc.array(fc.record({ after: fc.integer({ min: 1, max: 25 }), kind: fc.constantFrom('restart', 'fork'), at: fc.nat(40) }), {
    minLength: 1,
    maxLength: 3,
  }),
});
