import { type Circumstances, decide, type Next, stepAfter } from '../../shared/decide.ts';
import { callFacts, type EffectRecord, escalation, fromEntry, keyOf, outcomeUnknown, type Plan, planCall } from '../../shared/effect.ts';
import { cutAt, effectsOf, type LineageEffect, lineageLedger, meetings } from '../../shared/lineage.ts';
import { callsAsRun, earlierEffect, type Log, openReply, takenMessages } from '../../shared/log.ts';
import type { Policy } from '../../shared/policy.ts';
import type {
  AnswerTo,
  Ask,
  AskKind,
  Call,
  Decision,
  Draft,
  EffectClass,
  Question,
  Reply,
  Result,
  RunRecord,
} from '../../shared/record.ts';
import { answersOf, openAsk, type Standing, standings } from '../../shared/standing.ts';
import { effectKey, parseEffectKey } from '../../shared/tables.ts';

/**
 * Plays a whole run in memory: the shell's steps in few lines, driven by the pure functions alone, over a log, a ledger
 * and an outside world. It can be stopped dead before or after every single thing it reads or writes.
 */

export const RUN = '01JZ0000000000000000000000';

/** A tool of the simulated agent. It does to the world what its `plays` say, one for each execution of a key, then `last`. */
export interface SimTool {
  readonly class: EffectClass;
  readonly guarded: boolean;
  /** How many people must consent, where it is guarded. */
  readonly needs: number;
  readonly onRepeat: 'run' | 'reuse' | 'ask';
  readonly business: boolean;
  readonly plays: readonly ('throws-before' | 'throws-after')[];
  readonly last: 'works' | 'refuses' | 'output-lost';
  /** How often `find` cannot tell, for each key, before it can. */
  readonly blindFinds: number;
}

/** One reply of the simulated model, after it was overloaded so many times. */
export interface SimReply {
  readonly text: string;
  readonly finish: Reply['finish'];
  readonly calls: readonly { readonly tool: string; readonly input: number; readonly invalid: boolean }[];
  readonly overloads: number;
}

/** Answers one question; `happened` tells whether the effect asked about has taken place. */
export type Person = (question: Question, situation: { readonly nth: number; readonly happened: boolean }) => Decision;

export interface Scenario {
  readonly policy: Policy;
  readonly tools: Readonly<Record<string, SimTool>>;
  readonly replies: readonly SimReply[];
  /** What follows the replies: a final text, or the same replies again and again. */
  readonly endless: boolean;
  readonly person: Person;
  /** Whether people sometimes consent to other arguments. */
  readonly edits: boolean;
  /** Answers that are given; the question after them stays open. */
  readonly patience: number;
  /** A message arrives when the log has so many replies. */
  readonly messagesAt: readonly number[];
  readonly cancelAt?: number | undefined;
  /** Whether the platform reports each death, or the deadline has to pass. */
  readonly deathsReported: boolean;
  /** Ledger entries that other runs have left under business keys. */
  readonly foreign: readonly EffectRecord[];
  /** Where an invocation is stopped dead: at the n-th thing read or written, before or after it. */
  readonly crashes: readonly { readonly at: number; readonly after: boolean }[];
}

/** One try at a tool, with the log as it stood. */
export interface Execution {
  readonly log: Log;
  readonly reply: Reply;
  readonly call: Call;
  readonly key: string;
  readonly attempt: number;
  /** Whether the effect had taken place before. */
  readonly happened: boolean;
  /** Whether the tool said that nothing happened. */
  refused: boolean;
}

export interface Played {
  readonly outcome: 'ended' | 'asking' | 'stuck';
  readonly log: Log;
  readonly executions: readonly Execution[];
  /** How often the effect of each key took place, where it changed something. */
  readonly effects: ReadonlyMap<string, number>;
  readonly effectsOf: ReadonlyMap<string, number>;
  readonly invocations: number;
  /** Things read or written: the points at which it could have crashed. */
  readonly points: number;
  readonly answers: number;
}

class Crash extends Error {
  override readonly name = 'Crash';
}

interface World {
  readonly runId: string;
  /** The runs before it, oldest first, and up to which epoch their invocations are known to be over. */
  readonly before: readonly { readonly runId: string; readonly log: Log; readonly overThrough: number }[];
  readonly scenario: Scenario;
  readonly log: RunRecord[];
  readonly ledger: Map<string, EffectRecord>;
  readonly inbox: Map<string, string>;
  readonly executed: Map<string, number>;
  readonly finds: Map<string, number>;
  readonly overloads: Map<number, number>;
  readonly effects: Map<string, number>;
  readonly effectsOf: Map<string, number>;
  readonly executions: Execution[];
  readonly meta: { step: string; attempts: number; epoch: number; waitUntil: number; deadThrough: number };
  now: number;
  points: number;
  answers: number;
  invocations: number;
}

/** Far above what any scenario needs: a run that takes more is stuck. */
const MOST_INVOCATIONS = 5_000;
const CALL_MS = 60_000;

/** Plays a scenario until it ends, waits for an answer that does not come, or is stuck. */
export const play = (scenario: Scenario): Played => playWorld(newWorld(scenario), MOST_INVOCATIONS);

function playWorld(world: World, most: number): Played {
  if (world.log.length === 0) put(world, 1, { type: 'task', agent: 'sim', input: 'Go' });
  let outcome: Played['outcome'] | undefined;
  while (!outcome && world.invocations < most) outcome = invoke(world);
  const { log, executions, effects, effectsOf, invocations, points, answers } = world;
  return { outcome: outcome ?? 'stuck', log, executions, effects, effectsOf, invocations, points, answers };
}

/** How a run goes on as another: after so many of its invocations, started over or branched off after a record. */
export interface Branch {
  readonly after: number;
  readonly kind: 'restart' | 'fork';
  /** Which record a fork branches off after, counted on past the end of the log from its beginning. */
  readonly at: number;
}

/** Plays a run, stops it dead, and goes on with another, and another: all against one outside. Returns them in order. */
export function playLineage(scenario: Scenario, branches: readonly Branch[]): Played[] {
  let world = newWorld(scenario);
  const played = branches.map((branch) => {
    const one = playWorld(world, branch.after);
    world = descend(world, branch);
    return one;
  });
  return [...played, playWorld(world, MOST_INVOCATIONS)];
}

function descend(old: World, { kind, at }: Branch): World {
  if (old.log.at(-1)?.type !== 'end') put(old, old.log.length + 1, { type: 'end', status: 'cancelled', reason: 'restarted', text: '' });
  const { ledger, executed, finds, effects, effectsOf: byHash, executions, before, scenario } = old;
  const overThrough = scenario.deathsReported ? old.meta.epoch : 0;
  return {
    ...newWorld(scenario),
    ...{ ledger, executed, finds, effects, effectsOf: byHash, executions },
    runId: RUN.slice(0, -1) + (before.length + 1),
    before: [...before, { runId: old.runId, log: old.log, overThrough }],
    log: kind === 'restart' ? [] : old.log.slice(0, cutAt(old.log, 1 + (at % old.log.length))),
    now: old.now,
  };
}

const newWorld = (scenario: Scenario): World => ({
  runId: RUN,
  before: [],
  scenario,
  log: [],
  ledger: new Map(scenario.foreign.map((entry) => [entry.key, entry])),
  inbox: new Map(),
  executed: new Map(),
  finds: new Map(),
  overloads: new Map(),
  effects: new Map(),
  effectsOf: new Map(),
  executions: [],
  meta: { step: '', attempts: 0, epoch: 0, waitUntil: 0, deadThrough: 0 },
  now: 1_000,
  points: 0,
  answers: 0,
  invocations: 0,
});

/** Does one thing that a crash may come before or after. */
function io<T>(world: World, act: () => T): T {
  const point = world.points++;
  const crash = world.scenario.crashes.find(({ at }) => at === point);
  if (crash && !crash.after) throw new Crash(`before ${point}`);
  const done = act();
  if (crash) throw new Crash(`after ${point}`);
  return done;
}

/** The one conditional put of a step: what is there already stays. */
function put(world: World, seq: number, draft: Draft): RunRecord {
  if (world.log.length < seq) world.log.push({ v: 1, seq, at: world.now++, ...draft } as RunRecord);
  return world.log[seq - 1] as RunRecord;
}

const append = (world: World, log: Log, draft: Draft): Log => [...log, io(world, () => put(world, log.length + 1, draft))];

function invoke(world: World): Played['outcome'] | undefined {
  world.invocations++;
  world.now++;
  try {
    return step(world);
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    if (world.scenario.deathsReported) world.meta.deadThrough = world.meta.epoch;
    return undefined;
  }
}

/** One invocation: decide, prepare, perform at most once. */
function step(world: World): Played['outcome'] | undefined {
  let log: Log = io(world, () => [...world.log]);
  for (let performed = false; ; ) {
    deliver(world, log);
    const next = decide(log, around(world, log));
    if (next.next === 'wait') {
      world.now = next.until;
      world.meta.waitUntil = 0;
      return undefined;
    }
    if (next.next === 'ask' && !next.draft) return answer(world, log);
    const prepared = prepare(world, log, next);
    if (prepared) log = prepared;
    else if (next.next === 'end') return 'ended';
    else if (performed) return undefined;
    else {
      begin(world, log);
      log = next.next === 'tools' ? tools(world, log) : model(world, log);
      performed = true;
    }
  }
}

function prepare(world: World, log: Log, next: Next): Log | undefined {
  if (next.next === 'model' && next.take) return takeMessages(world, log);
  if ((next.next === 'ask' || next.next === 'end') && next.draft) return append(world, log, next.draft);
  return undefined;
}

const replies = (log: Log): number => log.filter(({ type }) => type === 'reply').length;

function around(world: World, log: Log): Circumstances {
  const { policy, cancelAt } = world.scenario;
  const cancelledBy = cancelAt !== undefined && replies(log) >= cancelAt ? 'Bob' : undefined;
  return {
    policy,
    cancelledBy,
    messages: news(world, log).length > 0,
    waitUntil: world.meta.waitUntil,
    now: world.now,
    events: 0,
    eventLimit: 1,
  };
}

/** Messages arrive by themselves, whatever the run is doing. */
function deliver(world: World, log: Log): void {
  for (const [i, at] of world.scenario.messagesAt.entries()) if (replies(log) >= at) world.inbox.set(`m${i}`, `Message ${i}`);
}

function news(world: World, log: Log): [string, string][] {
  const taken = takenMessages(log);
  return [...world.inbox].filter(([id]) => !taken.has(id));
}

const takeMessages = (world: World, log: Log): Log =>
  append(world, log, { type: 'user', messages: news(world, log).map(([id, text]) => ({ id, text, at: 0 })) });

/** Counts the attempt, durably, before the step does anything. */
function begin(world: World, log: Log): void {
  const { meta } = world;
  const step = `${stepAfter(log)}:${log.length}`;
  io(world, () => {
    meta.attempts = meta.step === step ? meta.attempts + 1 : 1;
    meta.step = step;
    meta.epoch++;
  });
}

/** People answer one question at a time; where several must say yes, different ones do, and one alone may change arguments. */
function answer(world: World, log: Log): Played['outcome'] | undefined {
  if (world.answers >= world.scenario.patience) return 'asking';
  const ask = openAsk(log) as Ask;
  const open = standings(ask, answersOf(log, ask)).filter(({ settled }) => !settled);
  const nth = world.answers++;
  const { question, said } = open[nth % open.length] as Standing;
  const by = PEOPLE.find((name) => !said.some((each) => each.by === name)) as string;
  const given: AnswerTo = {
    ...aboutOf(question),
    decision: world.scenario.person(question, { nth, happened: happened(world, log, question) }),
  };
  const changed = given.decision === 'approve' && !question.needs && question.kind === 'approval' && world.scenario.edits && nth % 2 === 1;
  const business = world.scenario.tools[question.tool ?? '']?.business ? { businessKey: '1' } : {};
  const edit = { input: 1, inputHash: `${question.tool} 1`, ...business };
  put(world, log.length + 1, { type: 'answer', ask: ask.seq, by, via: 'API', answers: [changed ? { ...given, edit } : given] });
  return undefined;
}

const PEOPLE = ['Ann', 'Bob', 'Cid'];

const aboutOf = ({ index }: Question) => (index === undefined ? {} : { index });

function happened(world: World, log: Log, { index }: Question): boolean {
  if (index === undefined) return false;
  const reply = openTurn(log);
  const key = keyOf(world.runId, log, reply, reply.calls[index] as Call, met(world, log, reply).get(index));
  return (world.effects.get(key) ?? 0) > 0;
}

/** The open reply with its calls as they run. */
function openTurn(log: Log): Reply {
  const reply = openReply(log) as Reply;
  return { ...reply, calls: callsAsRun(log, reply) };
}

// The model step.

function model(world: World, log: Log): Log {
  const { meta, scenario } = world;
  if (meta.attempts > scenario.policy.maxModelAttempts) return append(world, log, aboutModel('step-fails'));
  const turn = replies(log);
  const given = replyAt(scenario, turn);
  const before = world.overloads.get(turn) ?? 0;
  if (before < given.overloads) {
    io(world, () => world.overloads.set(turn, before + 1));
    if (meta.attempts >= scenario.policy.maxModelAttempts) return append(world, log, aboutModel('overloaded'));
    io(world, () => {
      meta.waitUntil = world.now + 1000;
    });
    return log;
  }
  io(world, () => undefined);
  return append(world, log, judged(world, log, given));
}

function replyAt({ replies: scripted, endless }: Scenario, turn: number): SimReply {
  const at = endless && scripted.length > 0 ? turn % scripted.length : turn;
  return scripted[at] ?? { text: 'Done', finish: 'stop', calls: [], overloads: 0 };
}

const aboutModel = (reason: string): Draft<Ask> => ({
  type: 'ask',
  kind: 'escalation',
  reason,
  questions: [{ kind: 'escalation', text: 'Go on?', choices: ['retry', 'abort'] }],
});

function judged(world: World, log: Log, { text, finish, calls }: SimReply): Draft<Reply> {
  const rest = { content: [], usage: { inputTokens: 1, outputTokens: 1 }, model: 'sim', ms: 1, attempts: 1 };
  const draft: Draft<Reply> = {
    type: 'reply',
    text,
    finish,
    ...rest,
    calls: calls.map((call, index) => judge(world, call, index, finish)),
  };
  const reply: Reply = { v: 1, seq: log.length + 1, at: 0, ...draft };
  return { ...draft, calls: draft.calls.map((call) => guardRepeat(world, log, reply, call)) };
}

function judge({ scenario }: World, made: SimReply['calls'][number], index: number, finish: Reply['finish']): Call {
  const tool = scenario.tools[made.tool];
  const inputHash = `${made.tool} ${made.input}`;
  const base: Call = { index, providerId: 'same', tool: made.tool, input: made.input, inputHash, class: tool?.class ?? 'read' };
  if (!tool) return { ...base, invalid: 'Not run: there is no such tool' };
  if (made.invalid || finish === 'cut') return { ...base, invalid: 'Not run: the arguments are not valid' };
  return {
    ...base,
    ...(tool.guarded ? { approval: { reason: 'It is guarded', ...(tool.needs > 1 ? { needs: tool.needs } : {}) } } : {}),
    ...(tool.business && tool.class !== 'read' ? { businessKey: String(made.input) } : {}),
  };
}

function guardRepeat({ scenario }: World, log: Log, reply: Reply, call: Call): Call {
  if (call.invalid || call.approval || call.class === 'read' || scenario.tools[call.tool]?.onRepeat !== 'ask') return call;
  const done = earlierEffect(log, reply, call)?.result.effect?.state === 'done';
  return done ? { ...call, approval: { reason: 'An equal call was done before' } } : call;
}

// The tool step.

interface CallOutcome {
  readonly result?: Result;
  readonly question?: Question;
  readonly wait?: number;
}

interface Target {
  readonly world: World;
  readonly log: Log;
  readonly reply: Reply;
  readonly call: Call;
  readonly tool: SimTool | undefined;
  readonly key: string;
  readonly met: LineageEffect | undefined;
}

function tools(world: World, log: Log): Log {
  const reply = openTurn(log);
  const { maxAttempts } = world.scenario.policy;
  if (world.meta.attempts > 2 + reply.calls.length * (maxAttempts + 1))
    return asked(world, log, reply, 'step-fails', reply.calls.map(stuck));
  const meeting = met(world, log, reply);
  const targets = reply.calls.map((call) => targetOf(world, log, reply, call, meeting.get(call.index)));
  const [reads, writes] = [targets.filter(isRead), targets.filter((target) => !isRead(target))];
  const answered = inOrder(reads, false);
  const stopped = stop(world, log, reply, [...answered, ...writes.flatMap(questionOf)]);
  if (stopped) return stopped;
  const written = inOrder(writes, true);
  return stop(world, log, reply, written) ?? append(world, log, { type: 'results', reply: reply.seq, results: inPlace(answered, written) });
}

const isRead = ({ call }: Target): boolean => call.class === 'read' || call.invalid !== undefined;
const inPlace = (...outcomes: CallOutcome[][]): Result[] =>
  outcomes
    .flat()
    .map(({ result }) => result as Result)
    .sort((a, b) => a.index - b.index);

function questionOf(target: Target): CallOutcome[] {
  const next = plan(target, entryOf(target));
  return next.do === 'ask' ? [{ question: next.question }] : [];
}

function inOrder(targets: Target[], stopEarly: boolean): CallOutcome[] {
  const outcomes: CallOutcome[] = [];
  for (const target of targets) {
    const outcome = runCall(target);
    outcomes.push(outcome);
    if (stopEarly && !outcome.result) break;
  }
  return outcomes;
}

function stop(world: World, log: Log, reply: Reply, outcomes: CallOutcome[]): Log | undefined {
  const questions = outcomes.flatMap(({ question }) => question ?? []);
  if (questions.length > 0) return asked(world, log, reply, 'call', questions);
  const waits = outcomes.flatMap(({ wait }) => wait ?? []);
  if (waits.length === 0) return undefined;
  io(world, () => {
    world.meta.waitUntil = Math.max(...waits);
  });
  return log;
}

function asked(world: World, log: Log, reply: Reply, reason: string, questions: Question[]): Log {
  const ordered = questions.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
  return append(world, log, { type: 'ask', kind: questions[0]?.kind as AskKind, reason, reply: reply.seq, questions: ordered });
}

const stuck = ({ index, tool, inputHash }: Call): Question => ({
  kind: 'escalation',
  index,
  tool,
  inputHash,
  text: 'The step keeps failing',
  choices: ['retry', 'result', 'skip', 'abort'],
});

const targetOf = (world: World, log: Log, reply: Reply, call: Call, meets: LineageEffect | undefined): Target => ({
  world,
  log,
  reply,
  call,
  tool: world.scenario.tools[call.tool],
  key: keyOf(world.runId, log, reply, call, meets),
  met: meets,
});

/** What the calls of a reply meet of what the runs before did, as the ledger has it now. */
function met({ before, ledger }: World, log: Log, reply: Reply): Map<number, LineageEffect> {
  const entriesOf = (runId: string) => [...ledger.values()].filter(({ key }) => parseEffectKey(key)?.runId === runId);
  const known = before.map(({ runId, log: theirs }) => effectsOf({ runId, log: theirs, entries: entriesOf(runId) }));
  const standing = lineageLedger(log, known).flatMap((effect) => {
    const entry = effect.state === 'open' ? ledger.get(effect.key) : undefined;
    if (entry?.state === 'failed') return [];
    return [
      entry?.state === 'done' ? ({ ...effect, state: 'done', ok: entry.ok ?? false, output: entry.output ?? null } as const) : effect,
    ];
  });
  return meetings(log, reply, standing);
}

const entryOf = ({ world, key }: Target): EffectRecord | undefined => io(world, () => world.ledger.get(key));

function plan({ world, log, reply, call, tool, met: meets }: Target, entry: EffectRecord | undefined): Plan {
  const { meta, scenario, now } = world;
  const onRepeat = (tool?.class !== 'read' && tool?.onRepeat) || 'run';
  const facts = callFacts(log, reply, call, { maxAttempts: scenario.policy.maxAttempts, onRepeat, met: meets });
  return planCall(facts, {
    entry,
    runId: world.runId,
    over: !entry || isOver(world, entry),
    now,
    begunUnmarked: call.class === 'read' && meta.attempts > 1,
  });
}

function isOver({ runId, meta, before }: World, entry: EffectRecord): boolean {
  if (entry.runId === runId) return entry.epoch <= meta.deadThrough || entry.epoch === meta.epoch;
  return before.some((one) => one.runId === entry.runId && entry.epoch <= one.overThrough);
}

function runCall(target: Target): CallOutcome {
  let entry = entryOf(target);
  for (;;) {
    const next = plan(target, entry);
    if (next.do === 'settle') return { result: next.result };
    if (next.do === 'ask') return { question: next.question };
    if (next.do === 'wait') return { wait: next.until };
    if (next.do === 'take') throw new Error('No result comes from outside here');
    const tried = next.do === 'find' ? find(target, next, entry) : attempt(target, next);
    if (!('key' in tried)) return tried;
    entry = tried;
    const again = entry.state === 'unknown' && plan(target, entry);
    if (again && (again.do === 'run' || again.do === 'find')) return { wait: target.world.now + 1000 };
  }
}

function started({ world, reply, call, key }: Target, { attempt, seen }: { attempt: number; seen: number }): EffectRecord {
  const { meta, now } = world;
  return {
    v: 1,
    runId: world.runId,
    key,
    call: effectKey(world.runId, reply.seq, call.index),
    tool: call.tool,
    class: call.class,
    inputHash: call.inputHash,
    state: 'started',
    epoch: meta.epoch,
    requestId: `r${meta.epoch}`,
    attempts: attempt,
    seen,
    startedAt: now,
    deadline: now + CALL_MS,
  };
}

/** Marks the effect as started, executes, and settles it; a read is marked only when its reply was begun on before. */
function attempt(target: Target, next: Extract<Plan, { do: 'run' }>): EffectRecord | CallOutcome {
  const { world, call, key } = target;
  const entry = started(target, next);
  const mark = call.class !== 'read' || world.meta.attempts > 1 || target.log.length > target.reply.seq;
  if (mark) io(world, () => world.ledger.set(key, entry));
  const ended = { ...entry, ...execute(target, next.attempt) };
  if (mark || target.reply.calls.length > 1) io(world, () => world.ledger.set(key, ended));
  return call.class === 'read' ? { result: fromEntry(target, ended) } : ended;
}

function execute(target: Target, attempt: number): Partial<EffectRecord> {
  const { world, log, reply, call, key } = target;
  const tool = target.tool as SimTool;
  const happened = (world.effects.get(key) ?? 0) > 0;
  const execution: Execution = { log, reply, call, key, attempt, happened, refused: false };
  world.executions.push(execution);
  const played = io(world, () => {
    const nth = world.executed.get(key) ?? 0;
    world.executed.set(key, nth + 1);
    const plays = tool.plays[nth] ?? tool.last;
    if (plays !== 'throws-before' && plays !== 'refuses') affect(target);
    return plays;
  });
  if (played === 'works') return { state: 'done', ok: true, output: `did ${call.inputHash}` };
  if (played === 'output-lost') return { state: 'done', ok: false, output: 'Its output is lost' };
  execution.refused = played === 'refuses';
  if (played === 'refuses' || call.class === 'read') return { state: 'failed', ok: false, output: 'It refused' };
  return { state: 'unknown', ok: false, error: 'It threw' };
}

/** The outside world changes; for an idempotent tool it knows a repeated key. */
function affect({ world, call, key }: Target): void {
  if (call.class === 'read' || (call.class === 'idempotent' && world.effects.has(key))) return;
  world.effects.set(key, (world.effects.get(key) ?? 0) + 1);
  world.effectsOf.set(call.inputHash, (world.effectsOf.get(call.inputHash) ?? 0) + 1);
}

function find(target: Target, next: Extract<Plan, { do: 'find' }>, previous: EffectRecord | undefined): EffectRecord | CallOutcome {
  const { world, log, reply, call, key } = target;
  const facts = callFacts(log, reply, call, { maxAttempts: 1, onRepeat: 'run' });
  const found = io(world, () => {
    const nth = world.finds.get(key) ?? 0;
    world.finds.set(key, nth + 1);
    return nth < (target.tool as SimTool).blindFinds ? 'unknown' : world.effects.has(key);
  });
  if (found === 'unknown') return { question: outcomeUnknown(facts, 'the outside system cannot tell') };
  if (found) {
    const entry = started(target, { attempt: previous?.attempts ?? 1, seen: next.seen });
    const done = { ...entry, state: 'done', ok: true, output: `did ${call.inputHash}` } as const;
    io(world, () => world.ledger.set(key, done));
    return done;
  }
  if (next.attempt === undefined) return { question: escalation(facts, previous?.attempts ?? 1) };
  return attempt(target, { do: 'run', attempt: next.attempt, seen: next.seen });
}
