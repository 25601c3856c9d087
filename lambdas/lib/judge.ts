import { z } from 'zod';
import type { Agent } from '../../shared/agent.ts';
import { type Json, MAX_DEPTH } from '../../shared/json.ts';
import { earlierEffect, type Log } from '../../shared/log.ts';
import type { ModelCall, ModelOutcome } from '../../shared/model.ts';
import { approvalNeed, type Call, type Draft, type Reply } from '../../shared/record.ts';
import type { AnyTool } from '../../shared/tool.ts';
import { callHash } from './hash.ts';
import { sentenceOf } from './sentence.ts';

type GivenReply = Extract<ModelOutcome, { kind: 'reply' }>;

/** Makes the record of a reply: every call is judged now, once, and what is decided here holds. */
export function draftReply(
  agent: Agent,
  log: Log,
  given: GivenReply,
  spent: { model: string; ms: number; attempts: number },
): Draft<Reply> {
  const { kind: _, calls, ...rest } = given;
  const judged = calls.map((call, index) => brief(judge(agent, call, index, given.finish)));
  const reply = { type: 'reply', ...rest, ...spent, calls: judged } as const;
  return { ...reply, calls: judged.map((call) => withRepeatGuard(agent, log, reply, call)) };
}

/** The longest sentence about a call that is kept, characters: a call with a thousand faults is told of some. */
const MAX_INVALID = 2_000;

const brief = (call: Call): Call =>
  call.invalid === undefined ? call : { ...call, invalid: call.invalid.slice(0, MAX_INVALID).toWellFormed() };

function judge(agent: Agent, made: ModelCall, index: number, finish: Reply['finish']): Call {
  const tool = agent.tools.find(({ name }) => name === made.tool);
  const input = (made.input ?? null) as Json;
  const base = {
    index,
    providerId: made.providerId,
    tool: made.tool,
    input,
    inputHash: callHash(made.tool, input),
    class: tool?.effect ?? 'read',
  } as const;
  const raw = made.rawInput === undefined ? {} : { rawInput: made.rawInput, inputHash: callHash(made.tool, made.rawInput) };
  if (!tool)
    return {
      ...base,
      ...raw,
      invalid: `Not run: there is no tool "${made.tool}". The tools are: ${agent.tools.map(({ name }) => name).join(', ') || 'none'}`,
    };
  if (finish === 'cut')
    return {
      ...base,
      ...raw,
      invalid: 'Not run: the reply was cut off at the output limit before its calls were complete. Make a shorter call',
    };
  if (finish === 'refused') return { ...base, ...raw, invalid: 'Not run: the reply was refused before it was complete' };
  if (made.input === undefined)
    return { ...base, ...raw, invalid: `Not run: the arguments of ${tool.name} are not a JSON object of at most ${MAX_DEPTH} levels` };
  try {
    return checked(tool, base);
  } catch (error) {
    return { ...base, invalid: `Not run: the arguments of ${tool.name} cannot be checked: ${sentenceOf(error)}` };
  }
}

/** Checks arguments against the schema and asks the approval policy; the input that is stored is the one that runs. */
function checked(tool: AnyTool, call: Call): Call {
  const parsed = tool.input.safeParse(call.input);
  const unknown = unknownKeys(tool, call.input);
  if (unknown.length > 0)
    return { ...call, invalid: `Not run: ${tool.name} has no argument ${unknown.map((key) => `"${key}"`).join(', ')}` };
  if (!parsed.success)
    return {
      ...call,
      invalid: `Not run: the arguments of ${tool.name} are not valid: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`,
    };
  const input = JSON.parse(JSON.stringify(parsed.data)) as Json;
  const approval = approvalOf(tool, structuredClone(input));
  const judged = { ...call, input, inputHash: callHash(tool.name, input), ...(approval ? { approval } : {}) };
  return tool.effect === 'read' || !tool.key ? judged : { ...judged, ...businessKeyOf(tool.name, tool.key, structuredClone(input)) };
}

const MAX_KEY_LENGTH = 1_000;

/** A key that is no text would be the same for all calls, and make one effect of them: such a call is not run. */
function businessKeyOf(tool: string, keyOf: (input: unknown) => unknown, input: Json): Pick<Call, 'businessKey' | 'invalid'> {
  const none = (why: string) => ({ invalid: `Not run: no business key can be made from the arguments of ${tool}: ${why}` });
  try {
    const key = settledNow(keyOf(input));
    const fits = typeof key === 'string' && key.trim() !== '' && key.length <= MAX_KEY_LENGTH;
    return fits ? { businessKey: key } : none(`its key function must return a text of 1 to ${MAX_KEY_LENGTH} characters`);
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

/** A policy that throws, or answers what is no answer, asks: nothing runs because a rule failed. */
function approvalOf(tool: AnyTool, input: unknown): Call['approval'] {
  if (tool.approval === undefined || tool.approval === 'never') return undefined;
  if (tool.approval === 'always') return { reason: 'This tool always needs consent' };
  try {
    const returned: unknown = tool.approval(input);
    const need = settledNow(returned);
    if (returned instanceof Promise) return { reason: 'The approval policy returned a promise, which cannot be waited for' };
    if (need === false) return undefined;
    return needOf(need === true ? {} : need);
  } catch (error) {
    return { reason: `The approval policy failed: ${sentenceOf(error)}`.slice(0, MAX_REASON) };
  }
}

/** What of a policy's answer can be used; a part that cannot is left out, and the question stands. */
function needOf(need: unknown): NonNullable<Call['approval']> {
  const { reason, approvers, risk, expiresInSeconds } = (need ?? {}) as Record<string, unknown>;
  const { shape } = approvalNeed;
  const named = z.array(z.email()).min(1).safeParse(approvers);
  const [risky, until] = [shape.risk.safeParse(risk), shape.expiresInSeconds.safeParse(expiresInSeconds)];
  return {
    reason: typeof reason === 'string' && reason.trim() ? reason.slice(0, MAX_REASON).toWellFormed() : 'This call needs consent',
    ...(named.success ? { approvers: named.data } : {}),
    ...(risky.success && risky.data ? { risk: risky.data } : {}),
    ...(until.success && until.data ? { expiresInSeconds: until.data } : {}),
  };
}

/** The longest reason for consent that is kept, characters. */
const MAX_REASON = 1_000;

/** What the tool's author says of an equal call whose effect is done holds for one that stands earlier in the same reply. */
function withRepeatGuard(agent: Agent, log: Log, reply: Draft<Reply>, call: Call): Call {
  const tool = agent.tools.find(({ name }) => name === call.tool);
  if (call.invalid !== undefined || !tool || tool.effect === 'read') return call;
  const sibling = reply.calls.find((each) => each.index < call.index && each.inputHash === call.inputHash && each.invalid === undefined);
  if (sibling && tool.onRepeat === 'reuse')
    return { ...call, invalid: `Not run: call ${sibling.index} of this reply is the same; its result holds for both` };
  if (tool.onRepeat !== 'ask' || call.approval) return call;
  if (sibling) return { ...call, approval: { reason: `Call ${sibling.index} of this reply is the same` } };
  const earlier = earlierEffect(log, { ...reply, v: 1, at: 0, seq: log.length + 1 }, call);
  return earlier?.result.effect?.state === 'done'
    ? { ...call, approval: { reason: `An equal call was done before, at record ${earlier.seq}` } }
    : call;
}
