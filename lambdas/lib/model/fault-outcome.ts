import { AISDKError, APICallError } from '@ai-sdk/provider';
import type { ModelOutcome } from '../../../shared/model.ts';
import { keyVariable } from './access.ts';
import type { RemoteModelName } from './model-name.ts';
import { quote } from './quote.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import { type Verdict, verdictOf } from './verdict.ts';

/** What is known of a request that brought no reply; times in ms since the epoch. */
export interface Failure {
  readonly name: RemoteModelName;
  /** The key that was sent, which no reason may show. */
  readonly key: string | undefined;
  /** Whether the step's deadline ended it. */
  readonly aborted: boolean;
  readonly askedAt: number;
  readonly now: number;
}

/** Turns an error of the AI SDK's model into an outcome. Throws on an error that is none of the provider's or of its settings. */
export function faultOutcome(error: unknown, failure: Failure): ModelOutcome {
  const model = modelOf(failure);
  if (failure.aborted || isTimeout(error)) return overloaded(`${model} gave no answer within ${secondsOf(failure)} s`);
  if (!APICallError.isInstance(error)) return libraryFault(error, failure);
  if (isBroken(error)) return overloaded(`The connection to ${model} failed with ${quote(rootMessage(error), failure.key)}`);
  return answered(refusalOf(error, failure.now), failure);
}

const modelOf = ({ name: { provider, id } }: Failure): string => `${provider}/${id}`;
const secondsOf = ({ now, askedAt }: Failure): number => Math.ceil((now - askedAt) / 1000);

const overloaded = (what: string, waitSeconds?: number): ModelOutcome => ({
  kind: 'overloaded',
  reason: `${what}; it will be asked again after a wait`,
  ...(waitSeconds !== undefined && { waitSeconds }),
});

const isTimeout = (error: unknown): boolean => error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name);

/** No answer, or a good one that broke off. The AI SDK marks the latter as worth a retry, but not one that it cannot read. */
const isBroken = ({ statusCode = 0, isRetryable }: APICallError): boolean => statusCode === 0 || (statusCode < 400 && isRetryable);

const rootMessage = (error: Error): string => (error.cause instanceof Error ? rootMessage(error.cause) : error.message);

const UNREADABLE = ['AI_InvalidResponseDataError', 'AI_TypeValidationError', 'AI_JSONParseError', 'AI_EmptyResponseBodyError'];

/** An answer that the library cannot make sense of may be better next time; what it refuses to send will not. */
function libraryFault(error: unknown, failure: Failure): ModelOutcome {
  if (!AISDKError.isInstance(error)) throw error;
  const said = quote(error.message, failure.key);
  if (UNREADABLE.includes(error.name)) return overloaded(`${modelOf(failure)} sent an answer that cannot be read, ${said}`);
  const reason = `Cannot ask ${modelOf(failure)}: its library refused the request with ${said}; correct the agent's model settings`;
  return { kind: 'rejected', code: 'bad-request', reason };
}

function answered(refusal: Refusal, failure: Failure): ModelOutcome {
  const verdict = verdictOf(refusal);
  const came = whatCame(refusal, verdict, failure);
  if (verdict === 'overloaded') return overloaded(came, refusal.waitSeconds);
  return { kind: 'rejected', code: verdict, reason: `${came}; ${REMEDIES[verdict](failure.name)}` };
}

/** The text that comes with a refused key is left out: providers show parts of the key in it. */
function whatCame({ status, text, requestId }: Refusal, verdict: Verdict, failure: Failure): string {
  const what = status === undefined ? 'sent an answer that cannot be read' : `answered ${status}`;
  const words = verdict === 'authentication' ? '' : `, ${quote(text, failure.key)}`;
  return `${modelOf(failure)} ${what}${words}${requestId ? ` (request ${quote(requestId, failure.key)})` : ''}`;
}

/** What to do about it. */
const REMEDIES: Record<Exclude<Verdict, 'overloaded'>, (name: RemoteModelName) => string> = {
  authentication: ({ provider }) =>
    `the provider does not accept the key in ${keyVariable(provider)}${provider === 'bedrock' ? ' or the AWS credentials' : ''}: replace it, then resume the run`,
  billing: () => 'the account has no credit left: add credit or raise its limit, then resume the run',
  permission: () => 'the key may not use this model: grant it access, then resume the run',
  'model-not-found': () => 'the provider has no such model at this address: start a new run with a model that it serves',
  'too-large': () => 'the conversation is larger than the model takes: start a new run with less of it',
  'bad-request': () => 'the same request would fail again: correct its cause, then resume the run',
};
