import * as z from 'zod';
import { DeclarationError } from './errors.ts';
import { MAX_CALL_SECONDS } from './functions.ts';
import type { Json } from './json.ts';
import type { FileName } from './named-file.ts';
import type { ApprovalNeed, EffectClass, QuestionNeed } from './record.ts';
import { marksFault, outputMarksFault } from './secrets.ts';

/** What a tool is told about its call. */
export interface ToolContext {
  readonly runId: string;
  /** The run with which its lineage began: the run itself, unless it starts another over or branches off. */
  readonly rootRunId: string;
  /** The effect key: the same on every attempt of this call, and of no other call. Pass it downstream. */
  readonly key: string;
  /** 1 on the first try. */
  readonly attempt: number;
  /** Fires at the deadline, and when the run is cancelled. */
  readonly signal: AbortSignal;
  readonly log: (message: string, fields?: Record<string, Json>) => void;
  /** The whole text of an earlier result or message of this run, by the id that the model knows it by; undefined for none. */
  readonly textOf: (id: string) => string | undefined;
  /**
   * Reads a file that was handed in or that a tool returned: by the id that the model is shown beside it (`m1_0_f1`), by its
   * SHA-256, or by the `$file` of a record. Rejects for one that this run's log does not name, or whose bytes are gone.
   */
  readonly readFile: (file: FileName) => Promise<FileBytes>;
  /** For a tool with a `callback`: where the outside system posts the result. Whoever has the address can. */
  readonly callbackUrl?: string;
}

/** A file as it was kept; `file(...)` takes it as it is. */
export interface FileBytes {
  /** A copy. */
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly name?: string;
}

/** What the approval function may look at beside the arguments. */
export interface ApprovalContext {
  readonly runId: string;
  readonly agent: string;
  /** The input of the run. */
  readonly task: Json;
  /** Turns of the run so far. */
  readonly turn: number;
  /** Earlier calls of this tool in this run whose effect is done, oldest first. */
  readonly earlier: () => readonly { readonly input: Json; readonly output: Json }[];
}

/** What of a long output the model is shown. All of it is kept, and `readResult()` reads it. */
export interface ModelOutput {
  /** The most characters of one output that the model is shown (default 20,000, at least 500). */
  readonly maxCharacters?: number;
  /** Makes the shown text of an output that is longer; unless told otherwise its beginning and end are shown. Must be pure. */
  readonly clip?: (text: string, maxCharacters: number) => string;
}

/** Returned by `execute`: the work is begun, and its result comes later, to the `callbackUrl`. */
export interface Pending {
  readonly [PENDING]: true;
}
const PENDING: unique symbol = Symbol.for('holdfast.pending') as never;

/** Says that a call's result comes later. For tools that declare a `callback`. */
export const pending = (): Pending => ({ [PENDING]: true });

/** Whether a tool said that its result comes later. By symbol: an agent's bundle may hold a second copy of this file. */
export const isPending = (output: unknown): output is Pending => typeof output === 'object' && output !== null && PENDING in output;

/** What `find` knows: it happened (with this output), it did not, or it cannot tell. */
export type Found<Output> = { happened: true; output: Output | Pending } | { happened: false } | { happened: 'unknown' };

/** What the approval function answers: no consent needed, or why it is. */
export type ApprovalAnswer = boolean | ApprovalNeed;

interface ToolBase<Input extends z.ZodObject, Output> {
  /** 1 to 64 letters, digits, `_` or `-`. */
  readonly name: string;
  readonly description: string;
  /** A key that the schema does not know makes the call invalid. */
  readonly input: Input;
  readonly execute: (input: z.infer<Input>, context: ToolContext) => Promise<Output | Pending> | Output | Pending;
  /** Whether a person must consent; judged once, when the reply is recorded. Default `never`. */
  readonly approval?: 'never' | 'always' | ((input: z.infer<Input>, context: ApprovalContext) => ApprovalAnswer);
  /** How long one attempt may take, s (default 60, at most 870). */
  readonly timeoutSeconds?: number;
  /** Tries until a person is asked (default: the policy's `maxAttempts`). */
  readonly maxAttempts?: number;
  /** What of a long output the model is shown. */
  readonly modelOutput?: ModelOutput;
  /**
   * Paths into the input where secrets stand, such as `account.token` (`*` for every element of a list). The tool gets them;
   * they are kept sealed while the call is open, and everybody else sees a mask.
   */
  readonly secrets?: readonly string[];
  /** Paths into the output that nobody is shown and that are not kept; `true` for all of it. */
  readonly secretOutput?: true | readonly string[];
}

interface WritingTool<Input extends z.ZodObject, Output> extends ToolBase<Input, Output> {
  /** What an equal call does whose earlier effect is done: run again (default), reuse its output, or ask. */
  readonly onRepeat?: 'run' | 'reuse' | 'ask';
  /** A business key: one effect per key and tool, over all runs. */
  readonly key?: (input: z.infer<Input>) => string;
  /** Lets `execute` return `pending()`. Not together with `key`. */
  readonly callback?: CallbackTerms;
}

/** How long a result from outside is waited for, s: 7 days unless told otherwise. */
export interface CallbackTerms {
  readonly expiresInSeconds?: number;
  /** The outside system must post a sign of life this often, else the call is given up. */
  readonly heartbeatSeconds?: number;
}

/** A tool, by what makes its effect safe to recover. */
export type Tool<Input extends z.ZodObject = z.ZodObject, Output = unknown> =
  | (ToolBase<Input, Output> & {
      readonly effect: 'read';
      /** Makes the call a question to a person, whose answer is its result; it is never executed. */
      readonly question?: (input: z.infer<Input>) => QuestionNeed;
    })
  | (WritingTool<Input, Output> & { readonly effect: 'idempotent' | 'once' })
  | (WritingTool<Input, Output> & {
      readonly effect: 'reconcile';
      /** Asks the outside system whether the effect with this key happened. Must change nothing. */
      readonly find: (key: string, input: z.infer<Input>, context: ToolContext) => Promise<Found<Output>> | Found<Output>;
    });

// biome-ignore lint/suspicious/noExplicitAny: tools of different inputs stand in one list; each is checked by its own schema.
export type AnyTool = Tool<any, any>;

export const DEFAULT_CALL_SECONDS = 60;

/** Declares a tool. Throws a DeclarationError that names what is wrong. */
export function defineTool<Input extends z.ZodObject, Output>(tool: Tool<Input, Output>): Tool<Input, Output> {
  const wrong = faultOf(tool);
  if (wrong) throw new DeclarationError(`Cannot use tool "${tool?.name}": ${wrong}`);
  return tool;
}

function faultOf(tool: AnyTool): string | undefined {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(tool?.name ?? '')) return 'its name must be 1 to 64 letters, digits, "_" or "-"';
  if (!tool.description?.trim()) return 'it needs a description, from which the model learns when to use it';
  if (!(tool.input instanceof z.ZodObject)) return 'its input must be a z.object(...)';
  if (typeof tool.execute !== 'function') return 'it needs an execute function';
  if (!(EFFECTS as readonly string[]).includes(tool.effect)) return `its effect must be one of ${EFFECTS.join(', ')}, not "${tool.effect}"`;
  if (tool.effect === 'reconcile' && typeof tool.find !== 'function') return 'effect "reconcile" needs a find function';
  return limitFault(tool) ?? writingFault(tool) ?? schemaFault(tool) ?? secretsFault(tool);
}

/** The model is told of a tool's arguments by their JSON schema, so there must be one. */
function schemaFault({ input }: AnyTool): string | undefined {
  try {
    z.toJSONSchema(input, { io: 'input' });
    return undefined;
  } catch (error) {
    return `its input has no JSON schema: ${(error as Error).message}`;
  }
}

const secretsFault = ({ secrets, secretOutput, input }: AnyTool): string | undefined =>
  (secrets === undefined ? undefined : marksFault(secrets, input)) ??
  (secretOutput === undefined ? undefined : outputMarksFault(secretOutput));

const EFFECTS: readonly EffectClass[] = ['read', 'idempotent', 'reconcile', 'once'];

function limitFault(tool: AnyTool): string | undefined {
  const { timeoutSeconds = DEFAULT_CALL_SECONDS, maxAttempts = 1 } = tool;
  if (!(timeoutSeconds > 0 && timeoutSeconds <= MAX_CALL_SECONDS))
    return `timeoutSeconds must be above 0 and at most ${MAX_CALL_SECONDS}, not ${timeoutSeconds}`;
  if (!(Number.isInteger(maxAttempts) && maxAttempts > 0)) return `maxAttempts must be a whole number above 0, not ${maxAttempts}`;
  return undefined;
}

/** Tells whether a number of seconds can be stored and waited for: infinity has no JSON. */
export const isTime = (seconds: number): boolean => Number.isFinite(seconds) && seconds > 0;

function writingFault(tool: AnyTool): string | undefined {
  const { onRepeat, key, callback } = tool as { onRepeat?: string; key?: unknown; callback?: CallbackTerms };
  if (onRepeat !== undefined && !['run', 'reuse', 'ask'].includes(onRepeat)) return `onRepeat must be run, reuse or ask, not "${onRepeat}"`;
  if (tool.effect === 'read' && (onRepeat !== undefined || key !== undefined)) return 'a tool that only reads has no onRepeat and no key';
  if (tool.effect === 'read' && callback !== undefined) return 'a tool with a callback has an effect outside: declare which';
  if (callback !== undefined && key !== undefined) return 'it has either a callback or a key, not both';
  const seconds = [callback?.expiresInSeconds, callback?.heartbeatSeconds].find((each) => each !== undefined && !isTime(each));
  if (seconds !== undefined) return `the times of its callback must be numbers above 0, in s, not ${seconds}`;
  const { approval } = tool;
  if (approval !== undefined && approval !== 'never' && approval !== 'always' && typeof approval !== 'function')
    return 'approval must be never, always or a function of the input';
  return undefined;
}
