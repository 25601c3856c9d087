import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Common text of stored bodies: a part of their format, so a change here needs a new schema version. */
const DICTIONARY = Buffer.from(
  '"class":"once","class":"reconcile","class":"idempotent","effect":{"key":"","state":"done"},"reused":true,"rawInput":"","invalid":"","approval":{"reason":"' +
    '{"type":"task","agent":"","input":"{"type":"user","messages":[{"id":"","text":"{"type":"end","status":"completed","reason":"final-reply","text":"' +
    '{"type":"results","reply":,"results":[{"index":0,"ok":true,"output":"","attempts":1,"ms":' +
    '{"type":"reply","text":"","content":[{"type":"text","text":""},{"type":"tool-call","toolCallId":"call_0","toolName":"","input":"{}"}],' +
    '"calls":[{"index":0,"providerId":"call_0","tool":"","input":{},"inputHash":"","class":"read"}],"finish":"calls","usage":{"inputTokens":0,"outputTokens":},"model":"scripted/","ms":0,"attempts":1}',
);

/** Packs a JSON value for storage. */
export const pack = (value: unknown): Uint8Array => packText(JSON.stringify(value));

/** Packs the text of a JSON value. */
export const packText = (text: string): Uint8Array => deflateRawSync(text, { dictionary: DICTIONARY });

/** Unpacks what `pack` made. Throws on bytes that are not of its making. */
export const unpack = (bytes: Uint8Array): unknown => JSON.parse(inflateRawSync(bytes, { dictionary: DICTIONARY }).toString());
