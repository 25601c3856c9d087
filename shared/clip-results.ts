import { clipExcerpt, clipText, clipTokens } from './clip.ts';
import { shareOf } from './clip-texts.ts';
import { filesIn } from './file.ts';
import type { Json } from './json.ts';
import { providerCallId } from './model.ts';
import type { Reply, Result } from './record.ts';
import { textFilesOf, withNotes, withTexts } from './shown-files.ts';
import { readingNote } from './text-id.ts';
import { plainLength } from './tokens.ts';
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
  const atTokens = how.limits?.atTokens;
  const known = kept.get(results);
  if (known && known.atTokens === atTokens && known.outputs === how.outputs && known.canRead === how.canRead) return known.shown;
  const shown = clipped(reply, results, how);
  kept.set(results, { atTokens, outputs: how.outputs, canRead: how.canRead, shown });
  return shown;
}

interface Kept {
  readonly atTokens: number | undefined;
  readonly outputs: Outputs['outputs'] | undefined;
  readonly canRead: boolean | undefined;
  readonly shown: readonly Result[];
}

/** What the view shows step after step, until a summary stands for it: an output may have many megabytes. */
const kept = new WeakMap<readonly Result[], Kept>();

function clipped(reply: Reply, results: readonly Result[], { limits, outputs, canRead = false }: Outputs): readonly Result[] {
  const all = results.map((result) => {
    const id = providerCallId(reply.seq, result.index);
    const setting = outputs?.(reply.calls[result.index]?.tool ?? '') ?? {};
    const files = result.ok ? textFilesOf(filesIn(result.output), id) : [];
    return { result, id, text: outputText(result.output, id), setting, max: setting.maxCharacters ?? DEFAULT_OUTPUT_CHARACTERS, files };
  });
  const lengths = all.flatMap(({ text, max, files }) =>
    [clipText(text, max), ...files.map((file) => clipExcerpt(file.text, max))].map(plainLength),
  );
  const share = limits ? shareOf(lengths, limits.messageCharacters) : Number.POSITIVE_INFINITY;
  return all.map(({ result, id, text, setting, files, ...own }) => {
    const max = limits ? Math.min(own.max, share) : Number.POSITIVE_INFINITY;
    const note = (of: string) => (canRead ? readingNote(of) : undefined);
    const shown = shownResult(result, text, { max, most: share, clip: setting.clip, note: note(id) });
    if (files.length === 0) return shown;
    const texts = files.map((file) => clipTokens(file.text, share, note(file.id), max));
    return { ...shown, output: withTexts(outputText(shown.output, id), files, texts) };
  });
}

/** The text by which an output is shown, with notes in the place of its files. `of` is the id of its call. */
export const outputText = (output: Json, of?: string): string =>
  typeof output === 'string' ? output : JSON.stringify(withNotes(output, of));

interface Clipping {
  /** Characters, as the tool says. */
  readonly max: number;
  /** Characters of plain text: so are tokens held to. */
  readonly most: number;
  readonly clip: ModelOutput['clip'];
  readonly note: ((from: number) => string) | undefined;
}

function shownResult(result: Result, text: string, { max, most, clip, note }: Clipping): Result {
  const isWhole = text.length <= max && (most === Number.POSITIVE_INFINITY || plainLength(text) <= most);
  const shown = isWhole ? result : { ...result, output: authorsClip(clip, text, { max, most }) ?? clipTokens(text, most, note, max) };
  return shown.edited ? { ...shown, edited: editedWithin(shown.edited, max) } : shown;
}

/** What an author's function gives counts when it is a text that is short enough. */
function authorsClip(clip: ModelOutput['clip'], text: string, { max, most }: Pick<Clipping, 'max' | 'most'>): string | undefined {
  if (!clip) return undefined;
  try {
    const given: unknown = clip(text, max);
    return typeof given === 'string' && given.length <= max && plainLength(given) <= most ? given : undefined;
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
