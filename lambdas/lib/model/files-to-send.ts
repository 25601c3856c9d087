import type { FileRef } from '../../../shared/file.ts';
import type { ModelRequest, ViewMessage } from '../../../shared/model.ts';
import { isAnimatedGif, isPictureType, pictureOf } from '../../../shared/picture.ts';
import { chooseFiles, type WhyNot } from './choose-files.ts';
import type { FileRules } from './file-rules.ts';

/** What becomes of a file of the view: its bytes are sent, or it is said why not. */
export type FileToSend = { readonly bytes: Uint8Array; readonly number: number } | { readonly whyNot: WhyNot };

/** What becomes of each file of a view. */
export type FilesToSend = ReadonlyMap<FileRef, FileToSend>;

export const NO_FILES: FilesToSend = new Map();

/** Chooses the files of a view that are sent, and reads these and no others. A view without files reads nothing. */
export async function filesToSend(rules: FileRules, view: readonly ViewMessage[], read: ModelRequest['readFile']): Promise<FilesToSend> {
  const files = view.flatMap(filesOf);
  const why = chooseFiles(rules, files);
  const found = new Map<FileRef, FileToSend>();
  for (const [i, file] of files.entries()) {
    const whyNot = why[i];
    found.set(file, whyNot === undefined ? await readOne(rules, file, i + 1, read) : { whyNot });
  }
  return found;
}

/** The files of a message, in the order in which they stand in it, without those that are shown as text. */
function filesOf(message: ViewMessage): readonly FileRef[] {
  const files = message.role === 'user' ? message.files : message.role === 'tool' ? message.results.flatMap(({ files = [] }) => files) : [];
  return (files ?? []).filter(({ text }) => text === undefined);
}

/** A tool can name a file by hand: what it says of it must hold for the bytes, or the provider would refuse the whole request. */
async function readOne({ animatedGifs }: FileRules, file: FileRef, number: number, read: ModelRequest['readFile']): Promise<FileToSend> {
  const bytes = await read?.(file);
  if (!bytes) return { whyNot: 'it is not kept any more' };
  if (!animatedGifs && isAnimatedGif(bytes)) return { whyNot: 'this model takes no animated GIF' };
  const { mediaType, width, height } = pictureOf(bytes) ?? {};
  const isTrue = !isPictureType(file.mediaType) || (mediaType === file.mediaType && width === file.width && height === file.height);
  return isTrue && bytes.length === file.bytes ? { bytes, number } : { whyNot: 'its bytes are not what it is said to be' };
}
