import type { FileRef } from './file.ts';
import { filesIn } from './file.ts';
import type { Log } from './log.ts';
import { filesOf } from './record-files.ts';
import { parseTextId } from './text-id.ts';

/** How code says which file it means: by the id that the model is shown, by its SHA-256, or by what stands for it in a record. */
export type FileName = string | { readonly sha256: string } | { readonly $file: { readonly sha256: string } };

/** Finds a file that a run's log names, or returns undefined: no other file can be read. */
export function namedFile(log: Log, name: FileName): FileRef | undefined {
  const hash = hashIn(name);
  if (hash !== undefined) return log.flatMap(filesOf).find(({ sha256 }) => sha256 === hash);
  const place = typeof name === 'string' ? parseTextId(name) : undefined;
  return place?.file === undefined ? undefined : filesAt(log, place)[place.file - 1];
}

function hashIn(name: FileName): string | undefined {
  const said: unknown = typeof name === 'string' ? name : '$file' in name ? name.$file?.sha256 : name.sha256;
  return typeof said === 'string' && /^[0-9a-f]{64}$/i.test(said) ? said.toLowerCase() : undefined;
}

function filesAt(log: Log, { kind, seq, index }: NonNullable<ReturnType<typeof parseTextId>>): readonly FileRef[] {
  const record = log[seq - 1];
  if (kind === 'message' && record?.type === 'task') return index === 0 ? filesOf(record) : [];
  if (kind === 'message') return (record?.type === 'user' && record.messages[index]?.files) || [];
  const results = log.slice(seq).find((each) => each.type === 'results' && each.reply === seq);
  const result = results?.type === 'results' ? results.results.find((each) => each.index === index) : undefined;
  return result ? filesIn(result.output) : [];
}
