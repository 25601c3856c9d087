/** A value as DynamoDB's protocol writes it. */
export type Value = {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly L?: readonly Value[];
  readonly M?: Attributes;
  readonly SS?: readonly string[];
};
type Attributes = { readonly [name: string]: Value };

/** The part of a request that says what it writes. */
export interface Wire {
  readonly Item?: Attributes;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: { readonly [placeholder: string]: string };
  readonly ExpressionAttributeValues?: Attributes;
}

/**
 * Counts what a request writes: of a PutItem all names and values of its item, of an UpdateItem the names and values that
 * its update expression mentions. What it only compares, and the protocol around it, does not count.
 */
export function bytesWritten({ Item, UpdateExpression = '', ExpressionAttributeNames, ExpressionAttributeValues }: Wire): number {
  if (Item) return sizeOfMap(Item);
  const names = (UpdateExpression.match(/#\w+/g) ?? []).map((name) => Buffer.byteLength(ExpressionAttributeNames?.[name] ?? ''));
  const values = (UpdateExpression.match(/:\w+/g) ?? []).map((name) => sizeOf(ExpressionAttributeValues?.[name] ?? {}));
  return [...names, ...values].reduce((sum, bytes) => sum + bytes, 0);
}

const sizeOfMap = (attributes: Attributes): number =>
  Object.entries(attributes).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOf(value), 0);

/** DynamoDB's rules: text in UTF-8, binary as it is, two digits a byte; a list or map 3 bytes, and 1 for each member. */
function sizeOf({ S, N, B, L, M, SS }: Value): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return Math.ceil(N.replace(/\D/g, '').length / 2) + 1;
  if (B !== undefined) return Buffer.from(B, 'base64').length;
  if (L) return L.reduce((sum, value) => sum + 1 + sizeOf(value), 3);
  if (M) return 3 + Object.keys(M).length + sizeOfMap(M);
  return SS ? SS.reduce((sum, text) => sum + Buffer.byteLength(text), 0) : 1;
}
