import type { EffectRecord } from '../../shared/effect.ts';
import { NoEffectError } from '../../shared/errors.ts';
import { filesIn } from '../../shared/file.ts';
import { MAX_OUTPUT_BYTES } from '../../shared/fit-results.ts';
import { type Lost, lostWords } from '../../shared/kept-value.ts';
import type { Call } from '../../shared/record.ts';
import type { Secrets } from '../../shared/secrets.ts';
import { type AnyTool, DEFAULT_CALL_SECONDS, type Found, isPending, type ToolContext } from '../../shared/tool.ts';
import { putFiles } from './file-store.ts';
import { hideIn, hideOutput } from './hide.ts';
import { logLine } from './invocation.ts';
import { takeFiles } from './output-files.ts';
import { sentenceOf } from './sentence.ts';

/** How long a tool may go on after its signal has fired, ms. */
const GRACE_MS = 1_000;

/** What became of a try: as in a result, with the state of the effect. */
export type Outcome = Pick<EffectRecord, 'state' | 'ok' | 'output' | 'error' | 'ms'>;

/** One try at a call. */
export interface Try {
  readonly runId: string;
  readonly rootRunId: string;
  readonly tool: AnyTool;
  readonly call: Call;
  readonly key: string;
  readonly attempt: number;
  /** When the try must be over, ms since the epoch. */
  readonly deadline: number;
  /** Fires when the run is cancelled. */
  readonly cancelled: AbortSignal;
  /** The whole text of an earlier result or message, by the id that the model knows it by. */
  readonly textOf: (id: string) => string | undefined;
  /** Reads a file that the log names. */
  readonly readFile: ToolContext['readFile'];
  /** Where the result may be posted later. */
  readonly callbackUrl?: string;
  /** The secrets in its arguments, by their places. */
  readonly secrets?: Secrets;
}

/** How long a try at a tool may take, ms: its own limit, or what the invocation has left to record the outcome. */
export const limitOf = (tool: AnyTool, remainingMs: number): number =>
  Math.max(1, Math.min((tool.timeoutSeconds ?? DEFAULT_CALL_SECONDS) * 1000, remainingMs - 2 * GRACE_MS - 3_000));

/** Runs a tool once, within its deadline. Never throws: a tool's failure is an outcome. */
export async function runOnce(tried: Try): Promise<Outcome> {
  const begun = Date.now();
  const outcome = await withinDeadline(tried, (context) => tried.tool.execute(structuredClone(tried.call.input), context)).then(
    (output) => keptFrom(tried, output),
    (error: unknown) => failed(tried, error),
  );
  return { ...(await stored(tried, outcome)), ms: Date.now() - begun };
}

/** An outcome with the files of its output, by their hashes. */
interface Made extends Outcome {
  readonly files?: ReadonlyMap<string, Uint8Array>;
  /** What of its output JSON has no word for. */
  readonly lost?: readonly Lost[];
}

/** An outcome as it may be recorded: secrets are masked, and the files that are still in it are kept by now. */
async function stored(tried: Try, { files, lost: unsaid, ...made }: Made): Promise<Outcome> {
  const outcome = named(tried, hidden(tried, made), unsaid);
  if (!files || files.size === 0) return outcome;
  const shown = new Set(filesIn(outcome.output ?? null).map(({ sha256 }) => sha256));
  const kept = new Map([...files].filter(([hash]) => shown.has(hash)));
  const lost = await putFiles(tried.runId, kept).then(() => undefined, sentenceOf);
  return lost === undefined ? outcome : filesLost(tried, lost);
}

/** An outcome as it may be kept: what the tool says of its secrets is masked. */
function hidden(tried: Try, { output, error, ...outcome }: Outcome): Outcome {
  return {
    ...outcome,
    ...(output === undefined ? {} : { output: outcome.ok ? hideOutput(output, tried) : hideIn(output, tried) }),
    ...(error === undefined ? {} : { error: hideIn(error, tried) }),
  };
}

/** Asks a `reconcile` tool whether its effect happened. Never throws: a `find` that fails knows nothing. */
export async function findOnce(tried: Try): Promise<Found<Outcome>> {
  const { tool } = tried;
  if (tool.effect !== 'reconcile') return { happened: 'unknown' };
  try {
    const found = await withinDeadline(tried, (context) => tool.find(tried.key, structuredClone(tried.call.input), context));
    return found?.happened === true
      ? { happened: true, output: await stored(tried, keptFrom(tried, found.output)) }
      : found?.happened === false
        ? found
        : { happened: 'unknown' };
  } catch (error) {
    logLine(tried.runId, `Cannot find out about ${tool.name}: ${hideIn(sentenceOf(error), tried)}`, { key: tried.key });
    return { happened: 'unknown' };
  }
}

async function withinDeadline<T>(tried: Try, work: (context: ToolContext) => Promise<T> | T): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException('The call is over its limit', 'TimeoutError')), tried.deadline - Date.now());
  const signal = AbortSignal.any([limit.signal, tried.cancelled]);
  try {
    return await Promise.race([Promise.resolve().then(() => work(contextOf(tried, signal))), overdue(tried, limit.signal)]);
  } finally {
    // A timer that is left to run out holds the call, and with it the log, for as long as the limit.
    clearTimeout(timer);
  }
}

function contextOf(tried: Try, signal: AbortSignal): ToolContext {
  const { runId, rootRunId, key, attempt, tool, textOf, readFile, callbackUrl } = tried;
  return {
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    runId,
    rootRunId,
    key,
    attempt,
    signal,
    textOf,
    readFile,
    log: (message, fields) => logLine(runId, hideIn(String(message), tried), { tool: tool.name, ...hideIn(fields, tried) }),
  };
}

/** Rejects when the deadline has passed and the tool did not stop by itself. */
function overdue({ tool, deadline }: Try, limit: AbortSignal): Promise<never> {
  const seconds = tool.timeoutSeconds ?? DEFAULT_CALL_SECONDS;
  const error = new Error(`${tool.name} did not return within its limit of ${seconds} s`);
  return new Promise((_, reject) => {
    const stop = () => setTimeout(() => reject(error), Math.min(GRACE_MS, Math.max(0, deadline + GRACE_MS - Date.now())));
    if (limit.aborted) stop();
    else limit.addEventListener('abort', stop, { once: true });
  });
}

/** The output, or that it comes later: only a call with an address for its result can be waited for. */
function keptFrom({ call }: Try, output: unknown): Made {
  if (!isPending(output)) return kept(output);
  if (call.callback) return { state: 'pending' };
  return { state: 'unknown', ok: false, error: `${call.tool} returned pending(), and declares no callback` };
}

/** A tool that writes and throws leaves its outcome open, unless it says that nothing happened. */
function failed({ tool, call }: Try, error: unknown): Outcome {
  const sentence = sentenceOf(error);
  if (tool.effect === 'read' || isNoEffect(error)) return { state: 'failed', ok: false, output: sentence };
  return { state: 'unknown', ok: false, error: `${call.tool}: ${sentence}` };
}

/** By name: an agent's bundle may hold a second copy of the class. */
function isNoEffect(error: unknown): boolean {
  try {
    return error instanceof NoEffectError || (error as Error)?.name === 'NoEffectError';
  } catch {
    return false; // What cannot even be looked at promises nothing.
  }
}

/** The output as it is now, in JSON: what the tool does to its object later changes nothing. */
function kept(output: unknown): Made {
  if (output === undefined) return { state: 'done', ok: true, output: '(no output)' };
  try {
    const { value, lost, files } = takeFiles(output);
    if (lost[0]?.path === '') return unkept(`it is ${lost[0].what}`);
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes > MAX_OUTPUT_BYTES) return unkept(`it has ${bytes} bytes, and at most ${MAX_OUTPUT_BYTES} can be kept`);
    return { state: 'done', ok: true, output: value, files, lost };
  } catch (error) {
    return unkept(sentenceOf(error));
  }
}

/** What JSON has no word for is named, and stands as null in the rest: the effect is done, and must not be repeated for it. */
function named({ call }: Try, outcome: Outcome, lost: readonly Lost[] = []): Outcome {
  if (lost.length === 0) return outcome;
  // Of a tool with secrets in its output only the kinds of things are named.
  const places = call.secretOutput === undefined ? lost : lost.map(({ path, what }) => ({ path, what: what.split(' ', 2).join(' ') }));
  const error = `The tool ran, but of its output this cannot be kept: ${lostWords(places)}`;
  return { ...outcome, ok: false, output: { error, kept: outcome.output ?? null } };
}

/** The files could not be stored: the same key gives them again where it may be used again; elsewhere what was done stays done. */
const filesLost = ({ tool, call }: Try, why: string): Outcome =>
  tool.effect === 'idempotent'
    ? { state: 'unknown', ok: false, error: `${call.tool} ran, and its files are not kept: ${why}` }
    : unkept(why);

/** The tool did its work and only its output is lost: the effect is done, and must not be repeated. */
const unkept = (why: string): Outcome => ({ state: 'done', ok: false, output: `The tool ran, but its output cannot be kept: ${why}` });
