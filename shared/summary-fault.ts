import type { Reply } from './record.ts';
import { tokensOf } from './tokens.ts';
import type { ViewLimits } from './view-limits.ts';

/** Says why what the model wrote cannot stand in place of what it was to sum up, as the end of a sentence, or undefined. */
export function summaryFault(
  { text, finish, calls = [] }: Pick<Reply, 'text' | 'finish'> & { readonly calls?: readonly unknown[] },
  replacedTokens: number,
  { atTokens }: ViewLimits,
): string | undefined {
  if (finish === 'refused') return 'was refused by the model';
  if (calls.length > 0) return 'called a tool, and there is none';
  if (text.trim() === '') return 'was empty';
  if (finish === 'cut') return 'was cut off at the output limit';
  const tokens = tokensOf(text);
  const most = Math.floor(atTokens / 8);
  if (tokens > most) return `has about ${tokens} tokens, and may have ${most}`;
  if (tokens >= replacedTokens) return `has about ${tokens} tokens, as many as what it sums up (${replacedTokens})`;
  return undefined;
}
