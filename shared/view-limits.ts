import { contextWindow } from './context-windows.ts';
import type { Policy } from './policy.ts';
import { ASCII_PER_TOKEN } from './tokens.ts';

/** How much the model is shown; characters are those of plain text, of which four make a token: denser texts have fewer. Everything follows from `atTokens`, so that what is shown once never changes by itself. */
export interface ViewLimits {
  /** A request that would have more tokens than this waits for a summary. */
  readonly atTokens: number;
  /** Tokens of the newest records that a new summary leaves as they are. */
  readonly keepTokens: number;
  /** The most that a summary may have, tokens. */
  readonly summaryTokens: number;
  /** The most that the task, the messages of one record, and the outputs of one reply's calls are shown with, characters. */
  readonly messageCharacters: number;
  /** The most that one reply is shown with, characters. */
  readonly replyCharacters: number;
  /** The most that plan, effects and messages beside a summary may have, characters. */
  readonly factsCharacters: number;
}

/** A summary is due when a request fills this share of the context window: the rest is for the reply, and for what estimates miss. */
const WINDOW_SHARE = 0.7;
/** However large the window, a summary is due by then, tokens: every turn pays for all it is shown. */
export const MOST_AT_TOKENS = 200_000;
/** The longest summary that is asked for, tokens. */
const MOST_SUMMARY_TOKENS = 4_000;

/**
 * Derives the limits of a run's view. After a summary the task, the facts and the summary have an eighth each, the newest
 * records a quarter, or three eighths when one turn alone has them: so there is room for what the agent's instructions and tools take, and for the
 * turns to come.
 */
export function viewLimits({ compaction = {} }: Pick<Policy, 'compaction'>, model: string): ViewLimits {
  const most = Math.min(MOST_AT_TOKENS, Math.floor(contextWindow(model).tokens * WINDOW_SHARE));
  const { atTokens = Math.max(most, (compaction.keepTokens ?? 0) * 4) } = compaction;
  const { keepTokens = Math.floor(atTokens / 5) } = compaction;
  const eighth = Math.floor(atTokens / 8);
  return {
    atTokens,
    keepTokens,
    summaryTokens: Math.min(eighth, MOST_SUMMARY_TOKENS),
    messageCharacters: eighth * ASCII_PER_TOKEN,
    replyCharacters: 2 * eighth * ASCII_PER_TOKEN,
    factsCharacters: eighth * ASCII_PER_TOKEN,
  };
}
