import { createHash } from 'node:crypto';
import { canonical, type Json } from '../../shared/json.ts';

/** SHA-256 of a text, hex. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The hash by which equal calls are known: tool and arguments, whatever the order of their keys. */
export const callHash = (tool: string, input: Json): string => sha256(`${tool}\n${canonical(input)}`);
