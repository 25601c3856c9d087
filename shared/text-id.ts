/** The name of the tool that reads what is left out of the view. */
export const READ_TOOL = 'read_result';

/** The id by which the model knows a message to the run; the task is the first. Results go by the id of their call. */
export const messageId = (seq: number, index = 0): string => `m${seq}_${index}`;

/** Reads the id of a message or of a call, or returns undefined. */
export function parseTextId(id: string): { readonly kind: 'message' | 'call'; readonly seq: number; readonly index: number } | undefined {
  const [, kind, seq, index] = /^([mc])([1-9]\d{0,9})_(\d{1,6})$/.exec(id) ?? [];
  return kind === undefined ? undefined : { kind: kind === 'm' ? 'message' : 'call', seq: Number(seq), index: Number(index) };
}

/** Says how the model gets at what is left out, given where the gap begins. */
export const readingNote =
  (id: string) =>
  (from: number): string =>
    `${READ_TOOL} reads on with {"id":"${id}","from":${from}}`;
