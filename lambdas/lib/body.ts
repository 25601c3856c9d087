import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type BlobPointer, blobPrefix, INLINE_BYTES } from '../../shared/blob.ts';
import { exactText } from '../../shared/exact-json.ts';
import { getBlob, putBlob } from './blob-store.ts';

/** Common text of stored bodies: a part of their format, so a change here needs a new schema version. */
const DICTIONARY = Buffer.from(
  '"class":"once","class":"reconcile","class":"idempotent","effect":{"key":"","state":"done"},"reused":true,"rawInput":"","invalid":"","approval":{"reason":"' +
    '{"type":"task","agent":"","input":"{"type":"user","messages":[{"id":"","text":"{"type":"end","status":"completed","reason":"final-reply","text":"' +
    '{"type":"results","reply":,"results":[{"index":0,"ok":true,"output":"","attempts":1,"ms":' +
    '{"type":"reply","text":"","content":[{"type":"text","text":""},{"type":"tool-call","toolCallId":"call_0","toolName":"","input":"{}"}],' +
    '"calls":[{"index":0,"providerId":"call_0","tool":"","input":{},"inputHash":"","class":"read"}],"finish":"calls","usage":{"inputTokens":0,"outputTokens":},"model":"scripted/","ms":0,"attempts":1}',
);

/** Packs a JSON value for storage. */
export const pack = (value: object): Uint8Array => packText(exactText(value));

/** Packs the text of a JSON value. */
export const packText = (text: string): Uint8Array => deflateRawSync(text, { dictionary: DICTIONARY });

/** Unpacks what `pack` made. Throws on bytes that are not of its making. */
export const unpack = (bytes: Uint8Array): unknown => JSON.parse(inflateRawSync(bytes, { dictionary: DICTIONARY }).toString());

/** The attribute of an item that holds its body, or says where it is. */
export type StoredBody = { readonly body: Uint8Array } | { readonly blob: BlobPointer };

/**
 * Makes the body of an item of a partition. A large one is in the blob store when this returns: a crash before its item is
 * written leaves a blob that nothing points to, never an item without its body.
 */
export const keepBody = (pk: string, value: object): Promise<StoredBody> => keepText(pk, exactText(value));

/** The same for the text of a JSON value. */
export async function keepText(pk: string, text: string): Promise<StoredBody> {
  const body = packText(text);
  return body.length <= INLINE_BYTES ? { body } : { blob: await putBlob(blobPrefix(pk), body) };
}

/** Reads a body from where it is. Throws an UnreadableItemError when its blob is gone or damaged. */
export const readStored = async (stored: StoredBody): Promise<unknown> =>
  unpack('blob' in stored ? await getBlob(stored.blob) : stored.body);
