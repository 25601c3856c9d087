import { clipText } from './clip.ts';
import type { Json } from './json.ts';
import { providerCallId } from './model.ts';
import type { Reply, Result } from './record.ts';
import { withNotes } from './shown-files.ts';
import { readingNote } from './text-id.ts';
import type { ModelOutput } from './tool.ts';
import type { ViewLimits } from './view-limits.ts';

/** The most characters of one output that the model is shown, unless its tool says otherwise. */
export const DEFAULT_OUTPUT_CHARACTERS = 20_000;

/** What is known of how outputs are shown. */
export interface Outputs {
  readonly limits?: ViewLimits;
  readonly outputs?: (tool: string) => ModelOutput | undefined;
  readonly canRead?: boolean;
}

/**
 * Returns results whose outputs are short enough to be shown: each within what its tool says, and together within what one
 * record may be shown with. The records keep them whole. Asked again for the same results, it does not measure them again.
 */
export function clipResults(reply: Reply, results: readonly Result[], how: Outputs): readonly Result[] {
  const { limits } = how;
  if (!limits) return results;
  const known = kept.get(results);
  if (known && known.atTokens === limits.atTokens && known.outputs === how.outputs && known.canRead === how.canRead) return known.shown;
  const shown = clipped(reply, results, { ...how, limits });
  kept.set(results, { atTokens: limits.atTokens, outputs: how.outputs, canRead: how.canRead, shown });
  return shown;
}

interface Kept {
  readonly atTokens: number;
  readonly outputs: Outputs['outputs'] | undefined;
  readonly canRead: boolean | undefined;
  readonly shown: readonly Result[];
}

/** What the view shows step after step, until a summary stands for it: an output may have many megabytes. */
const kept = new WeakMap<readonly Result[], Kept>();

function clipped(
  reply: Reply,
  results: readonly Result[],
  { limits, outputs, canRead = false }: Outputs & { readonly limits: ViewLimits },
): readonly Result[] {
  const settings = results.map(({ index }) => outputs?.(reply.calls[index]?.tool ?? '') ?? {});
  const texts = results.map(({ output }) => outputText(output));
  const own = texts.map(({ length }, i) => Math.min(length, settings[i]?.maxCharacters ?? DEFAULT_OUTPUT_CHARACTERS));
  const fit = own.reduce((sum, each) => sum + each, 0) <= limits.messageCharacters;
  const share = fit ? Number.POSITIVE_INFINITY : Math.floor(limits.messageCharacters / results.length);
  return results.map((result, i) => {
    const note = canRead ? readingNote(providerCallId(reply.seq, result.index)) : undefined;
    return shownResult(result, texts[i] as string, { max: Math.min(own[i] as number, share), clip: settings[i]?.clip, note });
  });
}

/** The text by which an output is shown, with notes in the place of its files. */
export const outputText = (output: Json): string => (typeof output === 'string' ? output : JSON.stringify(withNotes(output)));

interface Clipping {
  readonly max: number;
  readonly clip: ModelOutput['clip'];
  readonly note: ((from: number) => string) | undefined;
}

function shownResult(result: Result, text: string, { max, clip, note }: Clipping): Result {
  const shown = text.length <= max ? result : { ...result, output: authorsClip(clip, text, max) ?? clipText(text, max, note) };
  return shown.edited ? { ...shown, edited: editedWithin(shown.edited, max) } : shown;
}

/** What an author's function gives counts when it is a text that is short enough. */
function authorsClip(clip: ModelOutput['clip'], text: string, max: number): string | undefined {
  if (!clip) return undefined;
  try {
    const given: unknown = clip(text, max);
    return typeof given === 'string' && given.length <= max ? given : undefined;
  } catch {
    return undefined;
  }
}

/** The arguments that a person put in place of the model's are as long as a person likes. */
function editedWithin(edited: NonNullable<Result['edited']>, max: number): NonNullable<Result['edited']> {
  const text = JSON.stringify(edited.input);
  const limit = Math.max(max, MIN_EDIT_CHARACTERS);
  return text.length <= limit ? edited : { ...edited, input: clipText(text, limit) };
}

const MIN_EDIT_CHARACTERS = 1_000;
