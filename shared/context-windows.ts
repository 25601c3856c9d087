/**
 * How many tokens a request may have, by a pattern of the model's id, as the providers' model pages had it in November 2026
 * (platform.claude.com/docs "Models", developers.openai.com "Models", docs.aws.amazon.com/nova "What is Amazon Nova"). Where a
 * window is shared by request and reply, what is left when the longest reply is taken off it. The first that fits counts.
 */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/claude-(fable|opus|sonnet)-5/, 1_000_000],
  [/claude-/, 200_000],
  [/^gpt-5/, 272_000],
  [/^gpt-4\.1/, 1_000_000],
  [/^gpt-4o/, 128_000],
  [/^o[134](-|$)/, 200_000],
  [/nova-(2-lite|premier)/, 1_000_000],
  [/nova-(lite|pro)/, 300_000],
];

/** What a model is taken to hold that is not in the table. */
export const UNKNOWN_WINDOW = 128_000;

/** Returns how many tokens a request to the model `<provider>/<model id>` may have; a low guess when it is not known. */
export function contextWindow(model: string): { readonly tokens: number; readonly known: boolean } {
  const id = model.slice(model.indexOf('/') + 1);
  const found = WINDOWS.find(([pattern]) => pattern.test(id));
  return found ? { tokens: found[1], known: true } : { tokens: UNKNOWN_WINDOW, known: false };
}
