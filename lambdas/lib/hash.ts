import { createHash, timingSafeEqual } from 'node:crypto';
import { canonical, type Json } from '../../shared/json.ts';

/** SHA-256 of a text or of bytes, hex. */
export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** Makes the hash by which equal calls are known. */
export type CallHash = (tool: string, input: Json) => string;

/** The hash by which equal calls are known: tool and arguments, whatever the order of their keys. */
export const callHash: CallHash = (tool, input) => sha256(`${tool}\n${canonical(input)}`);

/** Tells whether a secret is the one of which a hash was kept; how long that takes says nothing of either. */
export const sameHash = (secret: string, hash: string): boolean =>
  timingSafeEqual(Buffer.from(sha256(secret), 'hex'), Buffer.from(hash, 'hex'));
