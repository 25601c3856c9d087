import { fileFault, fileJson, isFile, MAX_FILES, refOf, type ToolFile } from '../../shared/file.ts';
import { sha256 } from './hash.ts';

/** The text of an output's JSON, with what stands for its files in their places, and the files' bytes by their hashes. */
export interface TakenOutput {
  /** Undefined where the output is nothing that JSON has. */
  readonly text: string | undefined;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Takes the files out of what a tool returned. Throws an Error that says which file cannot be kept, and why. */
export function takeFiles(output: unknown): TakenOutput {
  const files = new Map<string, Uint8Array>();
  const text = JSON.stringify(output, (_key, value: unknown) => (isFile(value) ? placed(value, files) : value));
  return { text, files };
}

function placed(file: ToolFile, files: Map<string, Uint8Array>) {
  const fault = fileFault(file) ?? (files.size >= MAX_FILES ? `an output can have at most ${MAX_FILES} files` : undefined);
  if (fault) throw new Error(`its file ${named(file)}: ${fault}`);
  // A copy: what the tool does to its bytes later changes nothing.
  const bytes = Buffer.from(file.bytes);
  const hash = sha256(bytes);
  files.set(hash, bytes);
  return fileJson(refOf(file, hash));
}

const named = ({ name, mediaType }: ToolFile): string => {
  const known = String(name ?? mediaType ?? '').slice(0, 100);
  return known === '' ? 'without a name' : `"${known.toWellFormed()}"`;
};
