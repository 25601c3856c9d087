import type { FileRef } from './file.ts';
import type { Json } from './json.ts';
import type { Reply, Result } from './record.ts';
import type { ShownResult } from './shown-files.ts';

/** One message of the view, in the order in which the model is shown it. */
export type ViewMessage =
  /** `id` is that of the message where files came with it. */
  | { readonly role: 'user'; readonly text: string; readonly id?: string; readonly files?: readonly FileRef[] }
  | { readonly role: 'assistant'; readonly reply: Reply }
  /** The results of the assistant message just before: one for each of its calls, in call order. */
  | { readonly role: 'tool'; readonly reply: Reply; readonly results: readonly ShownResult[] };

/** The id by which a call is known to the provider: ours, since providers' own may repeat within a run. */
export const providerCallId = (seq: number, index: number): string => `c${seq}_${index}`;

/** A tool as the model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema, draft 2020-12, of an object. */
  readonly inputSchema: Json;
}

/** What a model step asks of a model. */
export interface ModelRequest {
  readonly runId: string;
  /** `<provider>/<model id>`, as pinned. */
  readonly model: string;
  readonly settings: { readonly maxOutputTokens?: number; readonly providerOptions?: Record<string, Record<string, Json>> };
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  /** Built only when it is called: a scripted model does without. */
  readonly view: () => readonly ViewMessage[];
  /** Reads a file of the view; undefined when it is not there. Asked only for what is sent. */
  readonly readFile?: (file: FileRef) => Promise<Uint8Array | undefined>;
  readonly situation: Situation;
  /** Whether it is told to make no calls: those that it makes all the same are not run. */
  readonly finishing?: boolean;
  /** Whether no later request begins as this one does, so that a provider's cache is of no use. */
  readonly alone?: boolean;
  readonly script: Script | undefined;
  readonly signal: AbortSignal;
}

/** A call as the model made it: `input` when its arguments were a JSON object, else their text in `rawInput`. */
export interface ModelCall {
  readonly providerId: string;
  readonly tool: string;
  readonly input?: { readonly [key: string]: Json };
  readonly rawInput?: string;
}

/** What came back. Only `reply` is recorded as one; `overloaded` becomes a wait, `rejected` an ask. */
export type ModelOutcome =
  | ({ readonly kind: 'reply'; readonly calls: readonly ModelCall[] } & Pick<Reply, 'text' | 'content' | 'finish' | 'usage'> &
      Partial<Pick<Reply, 'rawFinish' | 'servedModel' | 'requestId'>>)
  /** 429, 5xx, time-out, cut connection. `waitSeconds` is what the provider asked for. */
  | { readonly kind: 'overloaded'; readonly reason: string; readonly waitSeconds?: number }
  /** 400, 401, 402, 403, 404, 413, a used-up balance, a missing key: trying again is of no use until a person acts. */
  | { readonly kind: 'rejected'; readonly code: RejectionCode; readonly reason: string };

export type RejectionCode = 'bad-request' | 'authentication' | 'billing' | 'permission' | 'model-not-found' | 'too-large' | 'missing-key';

/** What a script may look at. */
export interface Situation {
  readonly input: Json;
  /** Replies already in the log: 0 for the first. */
  readonly turn: number;
  /** The latest results, in call order; empty before the first. */
  readonly results: readonly Result[];
  /** The texts of the latest `user` record when it is the newest record, else empty. */
  readonly messages: readonly string[];
  /** The try at this model step, from 1. */
  readonly attempt: number;
  /** The model that is asked: another once a person has put one in the place of the first. */
  readonly model?: string;
  /** True in the last turn of a run that was told to finish up. */
  readonly finishing?: boolean;
  /** Present when no reply is wanted but a summary of the records up to here, together with the summary so far. */
  readonly summarize?: { readonly after: number; readonly through: number; readonly before?: string };
}

/**
 * What a script plays: a reply, or a fault of the provider. `rawInput` stands for arguments that are no JSON object. Asked to
 * summarize, a script that knows how plays a `summary` or a fault; for one that plays a reply, a plain summary is made.
 */
export type ScriptedReply =
  | { readonly summary: string; readonly finish?: Reply['finish'] }
  | {
      readonly text?: string;
      readonly calls?: readonly {
        readonly tool: string;
        readonly input?: { readonly [key: string]: Json };
        readonly rawInput?: string;
        readonly id?: string;
      }[];
      readonly finish?: Reply['finish'];
    }
  | { readonly overloaded: string; readonly waitSeconds?: number }
  | { readonly rejected: RejectionCode; readonly reason: string };

/** The scripted model: a pure function of the situation. */
export type Script = (situation: Situation) => ScriptedReply;
