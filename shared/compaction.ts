import { outputText } from './clip-results.ts';
import { type Log, latest, openReply } from './log.ts';
import { providerCallId, type ViewMessage } from './model.ts';
import type { RunRecord } from './record.ts';
import { fileTokens } from './shown-files.ts';
import { tokensOf } from './tokens.ts';
import { messagesOf, openingOf, type Shown } from './view.ts';
import type { ViewLimits } from './view-limits.ts';

/** How the view stands now, as far as its size depends on it. */
export interface ViewState extends Shown {
  readonly limits: ViewLimits;
  /** The length of the log when the view began to start from its summary: replies up to there were to another view. */
  readonly since: number;
  /** Estimated tokens of what goes with every request: instructions and tools. */
  readonly overhead: number;
}

/** What a new summary would go over: the records above `after` (or above the task, where there is no summary yet) up to `through`. */
export interface Goal {
  readonly after: number;
  readonly through: number;
}

/**
 * Says what a summary is needed over before the model can be asked, or returns undefined: the view is within its limit, or a
 * summary would make no room. `wanted` is where somebody wants one, whether it is needed or not.
 */
export function dueSummary(log: Log, state: ViewState, wanted = 0): Goal | undefined {
  const { atTokens, keepTokens } = state.limits;
  const after = afterOf(state);
  if (wanted > after && wanted <= log.length) return { after, through: wanted };
  if (viewTokens(log, state) <= atTokens) return undefined;
  const through = cutOf(log, state, keepTokens);
  return through > after && tokensBetween(log, after, through, state) > atTokens / LEAST_GAIN ? { after, through } : undefined;
}

/** Says what a summary could go over when the provider itself says that a request is too large, or undefined: half as much is left. */
export function roomMaking(log: Log, state: ViewState): Goal | undefined {
  const after = afterOf(state);
  const through = cutOf(log, state, state.limits.keepTokens / 2);
  return through > after ? { after, through } : undefined;
}

const afterOf = ({ summary }: ViewState): number => Math.max(1, summary?.seq ?? 1);

/** A summary must stand in place of at least this part of the limit: else one would be made at every step. */
const LEAST_GAIN = 16;

/**
 * Tokens of the next request: what the provider counted for the last one and its reply, and estimates for what came after. All
 * of it is estimated when that reply was to another view, or its provider counts nothing, or beyond belief.
 */
export function viewTokens(log: Log, state: ViewState): number {
  const counted = countedTokens(log, state);
  if (counted !== undefined && counted <= state.limits.atTokens) return counted;
  const estimated = estimatedTokens(log, state);
  return counted !== undefined && counted <= estimated * MOST_BELIEVED ? counted : estimated;
}

/** A server that counts more than so many times the estimate counts something else: by its word every turn would need a summary. */
const MOST_BELIEVED = 10;

function countedTokens(log: Log, state: ViewState): number | undefined {
  const last = latest(log, 'reply');
  if (!last || last.seq <= state.since || last.usage.inputTokens <= 0) return undefined;
  const { inputTokens, outputTokens } = last.usage;
  return inputTokens + outputTokens + tokensAfter(log, last.seq, state);
}

function estimatedTokens(log: Log, state: ViewState): number {
  const opening = openingOf(log, state).reduce((sum, message) => sum + messageTokens(message), 0);
  return state.overhead + opening + tokensBetween(log, state.summary?.seq ?? 0, log.length, state);
}

/** Estimated tokens of what follows a reply, without the reply itself, which the provider has counted. */
function tokensAfter(log: Log, seq: number, state: ViewState): number {
  const messages = log.slice(seq).flatMap((record) => messagesOf(log, record, state));
  return messages.reduce(
    (sum, message) => (message.role === 'assistant' && message.reply.seq === seq ? sum : sum + messageTokens(message)),
    0,
  );
}

/** Estimated tokens of a message of the view. */
export function messageTokens(message: ViewMessage): number {
  if (message.role === 'user') return PER_MESSAGE + tokensOf(message.text) + fileTokens(message.files);
  if (message.role === 'assistant') return PER_MESSAGE + tokensOf(JSON.stringify(message.reply.content));
  return message.results.reduce(
    (sum, { index, output, edited, files }) =>
      sum +
      PER_MESSAGE +
      tokensOf(outputText(output, providerCallId(message.reply.seq, index))) +
      fileTokens(files) +
      (edited ? tokensOf(JSON.stringify(edited.input)) : 0),
    0,
  );
}

/** Roles, ids and names, tokens. */
const PER_MESSAGE = 8;

/** Estimated tokens of the records above one seq up to another, as they are shown. */
export function tokensBetween(log: Log, after: number, through: number, state: ViewState): number {
  const { from, sums } = sumsFrom(log, after, state);
  return (sums[through - from] as number) - (sums[after - from] as number);
}

/** Sums of tokens from a record on. */
interface Sums {
  /** How shown texts are clipped. */
  readonly atTokens: number;
  readonly from: number;
  readonly sums: number[];
}

/** Kept beside a log: it only grows, so each record is looked at once, and none that a summary stands for. */
const kept = new WeakMap<Log, Sums>();

function sumsFrom(log: Log, from: number, state: ViewState): Sums {
  const { atTokens } = state.limits;
  const known = kept.get(log);
  const fold = known?.atTokens === atTokens && known.from <= from ? known : { atTokens, from, sums: [0] };
  kept.set(log, fold);
  for (let i = fold.sums.length - 1; fold.from + i < log.length; i++) {
    const messages = messagesOf(log, log[fold.from + i] as RunRecord, state);
    fold.sums.push(messages.reduce((sum, message) => sum + messageTokens(message), fold.sums[i] as number));
  }
  return fold;
}

/**
 * Returns the seq of the last record that need not be shown as it is: as many of the newest records follow it as have at most `keep`
 * tokens, and one group in any case. A group is a message, or a reply with the results of all its calls: no cut goes through one.
 */
export function cutOf(log: Log, state: ViewState, keep: number): number {
  const end = (openReply(log)?.seq ?? log.length + 1) - 1;
  let cut = end;
  let tokens = 0;
  const first = afterOf(state);
  while (cut > first) {
    const start = groupStart(log, cut);
    const more = tokensBetween(log, start, cut, state);
    if (tokens > 0 && tokens + more > keep) break;
    tokens += more;
    cut = start;
  }
  return cut;
}

/** The number of records before the group that ends with the record at a seq. */
function groupStart(log: Log, seq: number): number {
  const record = log[seq - 1];
  return (record?.type === 'results' ? record.reply : seq) - 1;
}

/** Returns the ends of the groups above one seq up to another, in order. */
export function groupEnds(log: Log, { after, through }: Goal): number[] {
  const ends: number[] = [];
  for (let end = through; end > after; end = groupStart(log, end)) ends.push(end);
  return ends.reverse();
}
