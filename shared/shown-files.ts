import { type FileRef, filesIn, fileWords, withoutFiles } from './file.ts';
import type { FileText } from './file-text.ts';
import type { Json } from './json.ts';
import { isPictureType } from './picture.ts';
import type { Result } from './record.ts';
import { fileId } from './text-id.ts';

/** A value with a note in the place of each file, numbered in their order: as its text is shown. `of` is the id of what it is. */
export function withNotes(value: Json, of?: string): Json {
  let number = 0;
  return withoutFiles(value, (file) => fileNote(file, ++number, of));
}

/** Says which file is meant: by the id that tools take, where that is known. */
export const fileNote = (file: FileRef, number: number, of: string | undefined): string =>
  `[file ${fileName(number, of)}: ${fileWords(file)}]`;

/** The id of a file; its number alone where nobody knows what it is of. */
export const fileName = (number: number, of: string | undefined): string => (of === undefined ? String(number) : fileId(of, number));

/** A message with a note for each file that came with it. */
export const messageText = ({ text, files = [] }: { text: string; files?: readonly FileRef[] | undefined }, of: string): string =>
  [text, ...files.map((file, i) => fileNote(file, i + 1, of))].join('\n');

/** A file whose text is shown, by its id. */
export interface TextFile {
  readonly id: string;
  readonly text: FileText;
}

/** Lists those of some files whose text is shown; `of` is the id of what they came with. */
export const textFilesOf = (files: readonly FileRef[], of: string): TextFile[] =>
  files.flatMap(({ text }, i) => (text ? [{ id: fileId(of, i + 1), text }] : []));

/** A text, and after it the texts of the files that came with it, each in a frame that names it. */
export const withTexts = (text: string, files: readonly TextFile[], shown: readonly string[]): string =>
  [text, ...files.map(({ id }, i) => `<file id="${id}">\n${shown[i]}\n</file>`)].join('\n\n');

/** A result with the files that the model is shown with it, in the order of the notes in its text. */
export type ShownResult = Result & { readonly files?: readonly FileRef[] };

/** Adds the files of results, which are as they are recorded, to the same results as they are shown. A failure shows none. */
export const withFiles = (recorded: readonly Result[], shown: readonly Result[]): ShownResult[] =>
  shown.map((result, i) => {
    const files = result.ok ? filesIn(recorded[i]?.output ?? null) : [];
    return files.length > 0 ? { ...result, files } : result;
  });

/** Estimates the tokens of files as models count them. */
export const fileTokens = (files: readonly FileRef[] = []): number => files.reduce((sum, file) => sum + tokensOf(file), 0);

/** Pixels of a token, and the tokens of the largest picture: https://platform.claude.com/docs/en/build-with-claude/vision (November 2026). */
const PIXELS_PER_TOKEN = 750;
const MOST_PICTURE_TOKENS = 1_600;
/** Bytes of a document for a token: a page has some 2,000 tokens, and seldom less than 40 KB. */
const DOCUMENT_BYTES_PER_TOKEN = 20;

function tokensOf({ mediaType, bytes, width = 0, height = 0 }: FileRef): number {
  if (isPictureType(mediaType)) return Math.min(MOST_PICTURE_TOKENS, Math.ceil((width * height) / PIXELS_PER_TOKEN) || MOST_PICTURE_TOKENS);
  return mediaType === 'application/pdf' ? Math.ceil(bytes / DOCUMENT_BYTES_PER_TOKEN) : 0;
}
