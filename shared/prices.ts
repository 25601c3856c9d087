import * as z from 'zod';
import type { Usage } from './record.ts';

/** What tokens cost, US dollars per million. What is not said of the cache costs as any other input. */
export const price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  /** Input that the provider had in its prompt cache, and input that it put there (kept for 5 minutes). */
  cacheRead: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
});
export type Price = z.infer<typeof price>;

/** Where a list price is from, and as of when: `yyyy-mm-dd`. */
interface Source {
  readonly page: string;
  readonly at: string;
}

/** A list price, and what a longer prompt costs if that is more; without a `price` what it costs is not known. */
interface ListPrice extends Price {
  readonly source: Source;
  readonly long?: { readonly above: number; readonly price?: Price };
}

const ANTHROPIC: Source = { page: 'platform.claude.com, "Pricing" and the page of the model', at: '2026-11-30' };
/** By tools that follow that page: it was not read itself. */
const OPENAI: Source = { page: 'developers.openai.com, "Pricing", as other tools had it', at: '2026-09-30' };

const claude = (input: number, output: number, cacheRead = 0.1) => ({
  input,
  output,
  cacheRead: input * cacheRead,
  cacheWrite: input * 1.25,
  source: ANTHROPIC,
});

/** Prompts above 272,000 tokens have a tariff of their own. */
const gpt = (input: number, output: number, cacheWrite = input) => ({
  input,
  output,
  cacheRead: input / 10,
  cacheWrite,
  long: { above: 272_000 },
  source: OPENAI,
});

/**
 * List prices by `<provider>/<model id>`, for requests that are answered at once, each with its source and date. A model that
 * is not here has no known price, and none is shown; an agent may say its own.
 */
export const PRICES: Readonly<Record<string, ListPrice>> = {
  'anthropic/claude-fable-5-1': claude(10, 50, 0.025),
  'anthropic/claude-fable-5': claude(10, 50),
  'anthropic/claude-opus-5-5': claude(4, 20, 0.05),
  'anthropic/claude-opus-5': claude(5, 25),
  'anthropic/claude-opus-4-8': claude(5, 25),
  'anthropic/claude-opus-4-7': claude(5, 25),
  'anthropic/claude-opus-4-6': claude(5, 25),
  'anthropic/claude-opus-4-5': claude(5, 25),
  'anthropic/claude-sonnet-5-5': claude(2, 10, 0.05),
  'anthropic/claude-sonnet-5': claude(2, 10),
  'anthropic/claude-sonnet-4-6': claude(3, 15),
  'anthropic/claude-haiku-5-5': { ...claude(0.1, 0.5), long: { above: 100_000, price: claude(0.5, 2.5) } },
  'anthropic/claude-haiku-4-5': claude(1, 5),
  'openai/gpt-6-astra': gpt(10, 50),
  'openai/gpt-6-sol': gpt(2, 10, 2.5),
  'openai/gpt-6-luna': gpt(0.1, 0.5, 0.125),
  'openai/gpt-5.6-terra': gpt(2, 12),
  'openai/gpt-5.6-luna': gpt(0.2, 1.2),
};

/** A scripted model is asked nowhere. */
const FREE: Price = { input: 0, output: 0 };

/** Tells whether it is known what a model costs: by what its agent says (`own`), else by the list. */
export const hasPrice = (model: string, own?: Price): boolean => listed(model, own) !== undefined;

/** What one request to a model costs, US dollars; undefined when that is not known. */
export function costOf(model: string, usage: Usage, own?: Price): number | undefined {
  const found = listed(model, own);
  const tariff = found?.long && usage.inputTokens > found.long.above ? found.long.price : found;
  return tariff && dollars(tariff, usage);
}

const listed = (model: string, own: Price | undefined): (Price & Pick<ListPrice, 'long'>) | undefined =>
  own ?? (model.startsWith('scripted/') ? FREE : Object.hasOwn(PRICES, model) ? PRICES[model] : undefined);

/** The total of input tokens has those that the cache read and wrote in it. */
function dollars({ input, output, cacheRead = input, cacheWrite = input }: Price, usage: Usage): number {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  return exact((plain * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output) / 1_000_000);
}

/** A ten-billionth of a dollar is exact enough, and sums of such amounts stay short. */
export const exact = (amount: number): number => Number(amount.toFixed(10));
