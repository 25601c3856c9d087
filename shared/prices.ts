import type { Totals } from './meta.ts';

/** US dollars per million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
}

/**
 * List prices of models, by `<provider>/<model id>`, as the provider's model pages (platform.claude.com/docs, "Models &
 * pricing") had them in November 2026. A model that is not here has no known price, and none is shown for it.
 */
const PRICES: Readonly<Record<string, Price>> = {
  'anthropic/claude-fable-5-1': { input: 10, output: 50 },
  'anthropic/claude-opus-5-5': { input: 4, output: 20 },
  'anthropic/claude-opus-5': { input: 5, output: 25 },
  'anthropic/claude-sonnet-5-5': { input: 2, output: 10 },
  'anthropic/claude-sonnet-5': { input: 2, output: 10 },
  'anthropic/claude-haiku-4-5': { input: 1, output: 5 },
};

/** What reading and writing the prompt cache costs, as a multiple of the input price (5-minute cache; the dearest of the reads). */
const CACHE_READ = 0.1;
const CACHE_WRITE = 1.25;

/** Estimates what tokens cost at list prices, US dollars; undefined when the model's price is not known. */
export function costOf(
  model: string,
  { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Omit<Totals, 'turns'>,
): number | undefined {
  const price = PRICES[model];
  if (!price) return undefined;
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const input = plain + cacheReadTokens * CACHE_READ + cacheWriteTokens * CACHE_WRITE;
  return (input * price.input + outputTokens * price.output) / 1_000_000;
}
