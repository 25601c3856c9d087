import * as z from 'zod';
import type { ModelOutcome, ModelRequest, ScriptedReply, Situation } from '../../../shared/model.ts';
import { finish, type Reply } from '../../../shared/record.ts';
import { sentenceOf } from '../sentence.ts';
import { ACCESS_VARIABLES } from './access.ts';
import { callArguments } from './call-arguments.ts';

type Played = Exclude<ScriptedReply, { overloaded: string } | { rejected: string } | { summary: string }>;

/** What a script may return, told apart by its keys. */
const scriptedReply = z.union([
  z.strictObject({ summary: z.string(), finish: finish.optional() }),
  z.strictObject({ overloaded: z.string(), waitSeconds: z.number().nonnegative().optional() }),
  z.strictObject({ rejected: z.string(), reason: z.string() }),
  z.strictObject({
    text: z.string().optional(),
    calls: z
      .array(
        z.strictObject({
          tool: z.string(),
          input: z.record(z.string(), z.unknown()).optional(),
          rawInput: z.string().optional(),
          id: z.string().optional(),
        }),
      )
      .optional(),
    finish: finish.optional(),
  }),
]);

/** Plays the request's script as if it were a model. A script that throws, returns no reply or is missing is a rejection. */
export function playScript({ model, script, situation }: ModelRequest): ModelOutcome {
  if (!script) return missingScript(model);
  try {
    const played: unknown = script(situation);
    return isReply(played) ? outcomeOf(played, situation) : faulty(model, 'returned what is no reply');
  } catch (error) {
    return faulty(model, `threw "${sentenceOf(error)}"`);
  }
}

function isReply(played: unknown): played is ScriptedReply {
  if (!(played instanceof Promise)) return scriptedReply.safeParse(played).success;
  played.catch(() => {}); // Nobody waits for it.
  return false;
}

const faulty = (model: string, what: string): ModelOutcome => ({
  kind: 'rejected',
  code: 'bad-request',
  reason: `Cannot play ${model}: its script ${what}; correct the script`,
});

const missingScript = (model: string): ModelOutcome => ({
  kind: 'rejected',
  code: 'missing-key',
  reason:
    `Cannot play ${model}: the agent has no script; give it one, or name a model in HOLDFAST_MODEL and set its key in the ` +
    `environment (${Object.values(ACCESS_VARIABLES).join(', ')})`,
});

function outcomeOf(played: ScriptedReply, { summarize }: Situation): ModelOutcome {
  if ('overloaded' in played) return { kind: 'overloaded', reason: played.overloaded, ...wait(played.waitSeconds) };
  if ('rejected' in played) return { kind: 'rejected', code: played.rejected, reason: played.reason };
  if ('summary' in played) return replyOf({ text: played.summary, ...(played.finish && { finish: played.finish }) });
  return replyOf(summarize ? { text: `Records 2 to ${summarize.through} are done with.` } : played);
}

const wait = (waitSeconds: number | undefined) => (waitSeconds === undefined ? {} : { waitSeconds });

/** The parts have the shape of a provider's, so that the log of a scripted run reads like any other. */
function replyOf({ text = '', calls = [], finish }: Played): ModelOutcome {
  const parts = calls.map(({ tool, input = {}, rawInput, id }, i) => ({
    type: 'tool-call',
    toolCallId: id ?? `call_${i}`,
    toolName: tool,
    input: rawInput ?? JSON.stringify(input),
  }));
  return {
    kind: 'reply',
    text,
    content: [...(text ? [{ type: 'text', text }] : []), ...parts],
    calls: parts.map((part) => ({ providerId: part.toolCallId, tool: part.toolName, ...callArguments(part.input) })),
    finish: finish ?? (calls.length > 0 ? 'calls' : 'stop'),
    usage: usageOf(text + parts.map((part) => part.input).join('')),
  };
}

/** About four characters make a token. */
const usageOf = (output: string): Reply['usage'] => ({ inputTokens: 0, outputTokens: Math.ceil(output.length / 4) });
