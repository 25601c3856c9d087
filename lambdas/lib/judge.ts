import * as z from 'zod';
import { type Agent, DEFAULT_ASK_SECONDS } from '../../shared/agent.ts';
import { finishingAt } from '../../shared/budget.ts';
import { type LongNumber, longNumberIn } from '../../shared/exact-json.ts';
import { type Json, MAX_DEPTH } from '../../shared/json.ts';
import { keptValue, lostWords } from '../../shared/kept-value.ts';
import { doneCalls, earlierEffect, type Log } from '../../shared/log.ts';
import type { ModelCall, ModelOutcome } from '../../shared/model.ts';
import { eachOnce, recipient, recipientFault, type Webhooks } from '../../shared/recipient.ts';
import {
  type ApprovalNeed,
  type AskTerms,
  approvalNeed,
  askTerms,
  type Call,
  type Draft,
  type Edit,
  MAX_NEEDED,
  type QuestionNeed,
  questionNeed,
  type Reply,
} from '../../shared/record.ts';
import type { AnyTool, ApprovalContext } from '../../shared/tool.ts';
import { totalsOf } from '../../shared/totals.ts';
import { type CallHash, callHash } from './hash.ts';
import { sentenceOf } from './sentence.ts';

/** What is known of the run when a reply is judged. */
export interface Case {
  readonly runId: string;
  readonly agent: Agent;
  readonly log: Log;
  /** The hash by which equal calls are known, where it is not the plain one. */
  readonly hash?: CallHash;
}

type GivenReply = Extract<ModelOutcome, { kind: 'reply' }>;

/** Makes the record of a reply: every call is judged now, once, and what is decided here holds. */
export function draftReply(run: Case, given: GivenReply, spent: Pick<Draft<Reply>, 'model' | 'ms' | 'attempts' | 'costUsd'>): Draft<Reply> {
  const { kind: _, calls, ...rest } = given;
  const judged = calls.map((call, index) => brief(judge(run, call, index, given.finish)));
  const reply = { type: 'reply', ...rest, ...spent, calls: judged } as const;
  return { ...reply, calls: judged.map((call) => withRepeatGuard(run, reply, call)) };
}

/** The longest sentence about a call that is kept, characters: a call with a thousand faults is told of some. */
const MAX_INVALID = 2_000;

const brief = (call: Call): Call =>
  call.invalid === undefined ? call : { ...call, invalid: call.invalid.slice(0, MAX_INVALID).toWellFormed() };

function judge(run: Case, made: ModelCall, index: number, finish: Reply['finish']): Call {
  const { agent, hash = callHash } = run;
  const tool = agent.tools.find(({ name }) => name === made.tool);
  const input = (made.input ?? null) as Json;
  const base = {
    index,
    providerId: made.providerId,
    tool: made.tool,
    input,
    inputHash: hash(made.tool, input),
    class: tool?.effect ?? 'read',
  } as const;
  const raw = made.rawInput === undefined ? {} : { rawInput: made.rawInput, inputHash: hash(made.tool, made.rawInput) };
  if (!tool)
    return {
      ...base,
      ...raw,
      invalid: `Not run: there is no tool "${made.tool}". The tools are: ${agent.tools.map(({ name }) => name).join(', ') || 'none'}`,
    };
  if (finishingAt(run.log))
    return { ...base, ...raw, invalid: 'Not run: the run has reached a limit, and was told to finish without tools' };
  if (finish === 'cut')
    return {
      ...base,
      ...raw,
      invalid: 'Not run: the reply was cut off at the output limit before its calls were complete. Make a shorter call',
    };
  if (finish === 'refused') return { ...base, ...raw, invalid: 'Not run: the reply was refused before it was complete' };
  const long = made.rawInput === undefined ? undefined : longNumber(made.rawInput);
  if (long)
    return {
      ...base,
      ...raw,
      invalid: `Not run: the number ${long.digits.slice(0, 100)} at ${long.path.slice(0, 200) || 'the top'} has more digits than a number keeps. Write it as a text, or with fewer digits`,
    };
  if (made.input === undefined)
    return { ...base, ...raw, invalid: `Not run: the arguments of ${tool.name} are not a JSON object of at most ${MAX_DEPTH} levels` };
  try {
    return checked(run, tool, base);
  } catch (error) {
    return { ...base, invalid: `Not run: the arguments of ${tool.name} cannot be checked: ${sentenceOf(error)}` };
  }
}

function longNumber(text: string): LongNumber | undefined {
  try {
    return longNumberIn(text);
  } catch {
    return undefined; // No JSON at all, which is said elsewhere.
  }
}

/** Checks arguments and asks the tool's policies; the input that is stored is the one that runs. */
function checked(run: Case, tool: AnyTool, call: Call): Call {
  const found = checkInput(tool, call.input, run.hash);
  if ('invalid' in found) return { ...call, ...found };
  const judged = { ...call, ...found };
  if (tool.effect === 'read' && tool.question)
    return { ...judged, question: questionOf(run, settledNow(tool.question(structuredClone(found.input)))) };
  const approval = approvalOf(run, tool, structuredClone(found.input));
  const callback = tool.effect === 'read' ? undefined : tool.callback;
  const few = approval && tooFew(approval);
  return {
    ...judged,
    ...(approval ? { approval } : {}),
    ...(few ? { invalid: `Not run: ${tool.name} ${few}` } : {}),
    ...(callback ? { callback: { expiresInSeconds: DEFAULT_ASK_SECONDS, ...callback } } : {}),
  };
}

/** Says that so many yesses can never come together: nobody should be asked, and wait, in vain. */
function tooFew({ needs = 1, approvers, escalateTo = [] }: ApprovalNeed): string | undefined {
  const people = approvers && eachOnce([...approvers, ...escalateTo]).length;
  if (people === undefined || people >= needs) return undefined;
  return `needs the yes of ${needs} people, and its policy and its agent name only ${people} who may be asked`;
}

/** Checks arguments against a tool's schema: returns them as they will be used, or the sentence that says why they cannot be. */
export function checkInput(tool: AnyTool, given: Json, hash: CallHash = callHash): Edit | { readonly invalid: string } {
  const parsed = tool.input.safeParse(given);
  const unknown = unknownKeys(tool, given);
  if (unknown.length > 0) return { invalid: `Not run: ${tool.name} has no argument ${unknown.map((key) => `"${key}"`).join(', ')}` };
  if (!parsed.success)
    return { invalid: `Not run: the arguments of ${tool.name} are not valid: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}` };
  const { value: input, lost, turned } = keptValue(parsed.data);
  if (lost.length + turned.length > 0)
    return {
      invalid: `Not run: the schema of ${tool.name} makes of its arguments what cannot be kept: ${lostWords([...lost, ...turned])}`,
    };
  const found = { input, inputHash: hash(tool.name, input) };
  return tool.effect === 'read' || !tool.key ? found : { ...found, ...businessKeyOf(tool.name, tool.key, structuredClone(input)) };
}

/** A question goes to whom the tool or the agent names, for as long as they say. Throws when there is nothing to ask. */
function questionOf({ agent }: Case, need: unknown): QuestionNeed {
  const { shape } = questionNeed;
  const read = z.object({ text: shape.text.min(1), options: shape.options }).safeParse(need);
  if (!read.success) throw new Error('its question function must return a text, and options that are texts or none');
  const { text, options } = read.data;
  return { ...termsIn(need, agent), text, ...(options?.length ? { options } : {}) };
}

const MAX_KEY_LENGTH = 1_000;

/** A key that is no text would be the same for all calls, and make one effect of them: such a call is not run. */
function businessKeyOf(tool: string, keyOf: (input: unknown) => unknown, input: Json): { businessKey: string } | { invalid: string } {
  const none = (why: string) => ({ invalid: `Not run: no business key can be made from the arguments of ${tool}: ${why}` });
  try {
    const key = settledNow(keyOf(input));
    const fits = typeof key === 'string' && key.trim() !== '' && key.length <= MAX_KEY_LENGTH && key.isWellFormed();
    return fits ? { businessKey: key } : none(`its key function must return a text of 1 to ${MAX_KEY_LENGTH} whole characters`);
  } catch (error) {
    return none(sentenceOf(error));
  }
}

/** Returns what an author's function returned, or undefined for a promise: nobody waits for it, and it may fail unheard. */
function settledNow(returned: unknown): unknown {
  if (!(returned instanceof Promise)) return returned;
  returned.catch(() => {});
  return undefined;
}

function unknownKeys(tool: AnyTool, input: Json): string[] {
  if (tool.input.def.catchall && tool.input.def.catchall.def.type !== 'never') return [];
  return Object.keys(input as object).filter((key) => !Object.hasOwn(tool.input.shape, key));
}

/** Says what consent a call needs. A policy that throws, or answers what is no answer, asks: nothing runs because a rule failed. */
export function approvalOf(run: Case, tool: AnyTool, input: unknown): Call['approval'] {
  if (tool.approval === undefined || tool.approval === 'never') return undefined;
  if (tool.approval === 'always') return needOf({ reason: 'This tool always needs consent' }, run.agent);
  try {
    const returned: unknown = tool.approval(input, contextOf(run, tool));
    const need = settledNow(returned);
    if (returned instanceof Promise)
      return needOf({ reason: 'The approval policy returned a promise, which cannot be waited for' }, run.agent);
    return need === false ? undefined : needOf(need === true ? {} : need, run.agent);
  } catch (error) {
    return needOf({ reason: `The approval policy failed: ${sentenceOf(error)}` }, run.agent);
  }
}

const contextOf = ({ runId, agent, log }: Case, tool: AnyTool): ApprovalContext => ({
  runId,
  agent: agent.name,
  task: log[0]?.type === 'task' ? structuredClone(log[0].input) : null,
  turn: totalsOf(log).turns,
  earlier: () => structuredClone(doneCalls(log, tool.name)),
});

/** What of a policy's answer can be used; a part that cannot is left out, and the question stands. */
function needOf(need: unknown, agent: Agent): NonNullable<Call['approval']> {
  const { reason, risk, needs } = (need ?? {}) as Record<string, unknown>;
  const { shape } = approvalNeed;
  const terms = termsIn(need, agent);
  const [risky, count] = [shape.risk.safeParse(risk), shape.needs.safeParse(needs)];
  return {
    reason: typeof reason === 'string' && reason.trim() ? reason.slice(0, MAX_REASON).toWellFormed() : 'This call needs consent',
    ...terms,
    ...(risky.success && risky.data ? { risk: risky.data } : {}),
    // A number of people that is none asks as many as can be asked.
    ...(count.success ? (count.data ? { needs: count.data } : {}) : { needs: Math.min(MAX_NEEDED, terms.approvers?.length ?? MAX_NEEDED) }),
  };
}

/** Reads a list of recipients; a webhook that the agent does not declare is left out. */
const peopleOf = (webhooks: Webhooks = {}) =>
  z
    .array(recipient)
    .transform((list) => list.filter((each) => recipientFault(each, webhooks) === undefined))
    .pipe(z.array(z.string()).min(1));

/** Who is asked, for how long, and what happens then: what the tool says, else what the agent says. */
function termsIn(need: unknown, { asks = {} }: Agent): AskTerms {
  const given = (need ?? {}) as Record<string, unknown>;
  const people = peopleOf(asks.webhooks);
  const approvers = people.safeParse(given.approvers).data ?? asks.approvers;
  const escalateTo = people.safeParse(given.escalateTo).data ?? asks.escalateTo;
  const { shape } = askTerms;
  return {
    expiresInSeconds: shape.expiresInSeconds.safeParse(given.expiresInSeconds).data ?? asks.expiresAfterSeconds ?? DEFAULT_ASK_SECONDS,
    onExpiry: shape.onExpiry.safeParse(given.onExpiry).data ?? asks.onExpiry ?? 'deny',
    ...(approvers?.length ? { approvers: eachOnce(approvers) } : {}),
    ...(escalateTo?.length ? { escalateTo: eachOnce(escalateTo) } : {}),
  };
}

/** The longest reason for consent that is kept, characters. */
const MAX_REASON = 1_000;

/** What the tool's author says of an equal call whose effect is done holds for one that stands earlier in the same reply. */
function withRepeatGuard({ agent, log }: Case, reply: Draft<Reply>, call: Call): Call {
  const tool = agent.tools.find(({ name }) => name === call.tool);
  if (call.invalid !== undefined || !tool || tool.effect === 'read') return call;
  const sibling = reply.calls.find((each) => each.index < call.index && each.inputHash === call.inputHash && each.invalid === undefined);
  if (sibling && tool.onRepeat === 'reuse')
    return {
      ...call,
      invalid: `Not run: call ${sibling.index} of this reply is the same; its result holds for both`,
      sameAs: sibling.index,
    };
  if (tool.onRepeat !== 'ask' || call.approval) return call;
  if (sibling) return { ...call, approval: needOf({ reason: `Call ${sibling.index} of this reply is the same` }, agent) };
  const earlier = earlierEffect(log, { ...reply, v: 1, at: 0, seq: log.length + 1 }, call);
  return earlier?.result.effect?.state === 'done'
    ? { ...call, approval: needOf({ reason: `An equal call was done before, at record ${earlier.seq}` }, agent) }
    : call;
}
