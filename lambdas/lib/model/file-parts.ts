import type { LanguageModelV4FilePart } from '@ai-sdk/provider';
import { type FileRef, fileWords } from '../../../shared/file.ts';
import { isPictureType } from '../../../shared/picture.ts';
import { fileName } from '../../../shared/shown-files.ts';
import type { FilesToSend } from './files-to-send.ts';
import type { RemoteModelName } from './model-name.ts';

/** The parts of a message that are its files, as far as they are sent. */
export const partsOf = (provider: RemoteModelName['provider'], files: readonly FileRef[], sent: FilesToSend): LanguageModelV4FilePart[] =>
  files.flatMap((file) => {
    const found = sent.get(file);
    if (!found || 'whyNot' in found) return [];
    return [
      {
        type: 'file',
        mediaType: file.mediaType,
        data: { type: 'data', data: found.bytes },
        ...nameOf(provider, file, found.number),
      } satisfies LanguageModelV4FilePart,
    ];
  });

/** Pictures have no names. Bedrock takes only certain characters in that of a document, and no name twice. */
function nameOf(provider: RemoteModelName['provider'], { mediaType, name }: FileRef, number: number): { filename?: string } {
  if (isPictureType(mediaType)) return {};
  return { filename: provider === 'bedrock' || name === undefined ? `document ${number}` : name };
}

/** Lines about the files of a message that are not sent; `of` is the id of the message or call. */
export const notesOn = (files: readonly FileRef[], sent: FilesToSend, of: string | undefined): string[] =>
  files.flatMap((file, i) => {
    const found = sent.get(file);
    const why = found && ('whyNot' in found ? found.whyNot : undefined);
    return why === undefined ? [] : [`(file ${fileName(i + 1, of)}, ${fileWords(file)}, is not shown: ${why})`];
  });
