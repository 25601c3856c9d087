import { type FileRef, fileFault, fileJson, isFile, MAX_FILES, refOf, type ToolFile } from '../../shared/file.ts';
import { keptCharacters, MOST_FILE_TEXTS } from '../../shared/file-text.ts';
import { type Kept, keptValue } from '../../shared/kept-value.ts';
import { sha256 } from './hash.ts';

/** An output as it is kept, with what stands for its files in their places, and the files' bytes by their hashes. */
export interface TakenOutput extends Kept {
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Takes the files out of what a tool returned. A file that cannot be kept is lost, and the reason is said there. */
export function takeFiles(output: unknown): TakenOutput {
  const files = new Map<string, Uint8Array>();
  let room = MOST_FILE_TEXTS;
  const kept = keptValue(output, (value) => {
    if (!isFile(value)) return undefined;
    const ref = placed(value, files, room);
    room -= keptCharacters(ref.text);
    return fileJson(ref);
  });
  return { ...kept, files };
}

function placed(file: ToolFile, files: Map<string, Uint8Array>, room: number): FileRef {
  const fault = fileFault(file) ?? (files.size >= MAX_FILES ? `an output can have at most ${MAX_FILES} files` : undefined);
  if (fault) throw new Error(`its file ${named(file)}: ${fault}`);
  // A copy: what the tool does to its bytes later changes nothing.
  const bytes = Buffer.from(file.bytes);
  const hash = sha256(bytes);
  files.set(hash, bytes);
  return refOf({ ...file, bytes }, hash, room);
}

const named = ({ name, mediaType }: ToolFile): string => {
  const known = String(name ?? mediaType ?? '').slice(0, 100);
  return known === '' ? 'without a name' : `"${known.toWellFormed()}"`;
};
