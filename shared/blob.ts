import * as z from 'zod';

/** Where a body lies that is too large for its item, and how to know that it is whole. */
export const blobPointer = z.object({
  key: z.string(),
  /** SHA-256 of the stored bytes, hex. */
  sha256: z.string(),
  bytes: z.number(),
});
export type BlobPointer = z.infer<typeof blobPointer>;

/** Packed bodies up to this many bytes stay in their item: see `docs/how-it-works.md`, "Large bodies". */
export const INLINE_BYTES = 100_000;

/** The blobs of an item's owner, by the item's partition: those of a run, or those of a business key, lie together. */
export const blobPrefix = (pk: string) => {
  const [kind = '', id = ''] = pk.split('#');
  return `${OWNERS[kind] ?? kind.toLowerCase()}/${id}/`;
};
const OWNERS: Record<string, string> = { RUN: 'runs', KEY: 'keys' };

/** The blobs of a run. */
export const runBlobs = (runId: string) => `runs/${runId}/`;
