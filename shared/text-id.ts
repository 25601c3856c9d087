/** The name of the tool that reads what is left out of the view. */
export const READ_TOOL = 'read_result';

/** The id by which the model knows a message to the run; the task is the first. Results go by the id of their call. */
export const messageId = (seq: number, index = 0): string => `m${seq}_${index}`;

/** The id by which the model knows a file: that of the message or the call it came with, and its number there, from 1. */
export const fileId = (of: string, number: number): string => `${of}_f${number}`;

/** A place that the model knows by an id: a message or the result of a call, or a file that came with it. */
export interface TextPlace {
  readonly kind: 'message' | 'call';
  readonly seq: number;
  readonly index: number;
  readonly file?: number;
}

/** Reads the id of a message, of a call or of a file, or returns undefined. */
export function parseTextId(id: string): TextPlace | undefined {
  const [, kind, seq, index, file] = /^([mc])([1-9]\d{0,9})_(\d{1,6})(?:_f([1-9]\d{0,3}))?$/.exec(id) ?? [];
  if (kind === undefined) return undefined;
  const place = { kind: kind === 'm' ? 'message' : 'call', seq: Number(seq), index: Number(index) } as const;
  return file === undefined ? place : { ...place, file: Number(file) };
}

/** Says how the model gets at what is left out, given where the gap begins. */
export const readingNote =
  (id: string) =>
  (from: number): string =>
    `${READ_TOOL} reads on with {"id":"${id}","from":${from}}`;
