import { z } from 'zod';
import type { Agent } from '../../shared/agent.ts';
import type { Json } from '../../shared/json.ts';
import { earlierEffect, type Log } from '../../shared/log.ts';
import type { ModelCall, ModelOutcome } from '../../shared/model.ts';
import type { Call, Draft, Reply } from '../../shared/record.ts';
import type { AnyTool } from '../../shared/tool.ts';
import { callHash } from './hash.ts';

type GivenReply = Extract<ModelOutcome, { kind: 'reply' }>;

/** Makes the record of a reply: every call is judged now, once, and what is decided here holds. */
export function draftReply(
  agent: Agent,
  log: Log,
  given: GivenReply,
  spent: { model: string; ms: number; attempts: number },
): Draft<Reply> {
  const { kind: _, calls, ...rest } = given;
  const judged = calls.map((call, index) => judge(agent, call, index, given.finish));
  const reply = { type: 'reply', ...rest, ...spent, calls: judged } as const;
  return { ...reply, calls: judged.map((call) => withRepeatGuard(agent, log, reply, call)) };
}

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
  if (made.input === undefined) return { ...base, ...raw, invalid: `Not run: the arguments of ${tool.name} are not a JSON object` };
  return checked(tool, base);
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
  const approval = approvalOf(tool, parsed.data);
  const judged = { ...call, input, inputHash: callHash(tool.name, input), ...(approval ? { approval } : {}) };
  if (tool.effect === 'read' || !tool.key) return judged;
  try {
    return { ...judged, businessKey: String(tool.key(parsed.data)) };
  } catch (error) {
    return { ...judged, invalid: `Not run: no business key can be made from the arguments of ${tool.name}: ${(error as Error)?.message}` };
  }
}

function unknownKeys(tool: AnyTool, input: Json): string[] {
  if (tool.input.def.catchall && tool.input.def.catchall.def.type !== 'never') return [];
  return Object.keys(input as object).filter((key) => !Object.hasOwn(tool.input.shape, key));
}

/** A policy that throws asks: nothing runs because a rule failed. */
function approvalOf(tool: AnyTool, input: unknown): Call['approval'] {
  if (tool.approval === undefined || tool.approval === 'never') return undefined;
  if (tool.approval === 'always') return { reason: 'This tool always needs consent' };
  try {
    const need = tool.approval(input);
    if (!need) return undefined;
    return { reason: need === true ? 'This call needs consent' : need.reason };
  } catch (error) {
    return { reason: `The approval policy failed: ${(error as Error)?.message}` };
  }
}

function withRepeatGuard(agent: Agent, log: Log, reply: Draft<Reply>, call: Call): Call {
  const tool = agent.tools.find(({ name }) => name === call.tool);
  if (call.invalid !== undefined || call.approval || !tool || tool.effect === 'read' || tool.onRepeat !== 'ask') return call;
  const earlier = earlierEffect(log, { ...reply, v: 1, at: 0, seq: log.length + 1 }, call);
  return earlier?.result.effect?.state === 'done'
    ? { ...call, approval: { reason: `An equal call was done before, at record ${earlier.seq}` } }
    : call;
}
