import { fromDataUrl, picturesFault } from './pictures.ts';
import { type Fields, firstOf, isJsonObject, NAME, type Protocol, repeated, without } from './protocol.ts';

/** OpenAI Responses for a client that stores nothing there: what it refuses, in its words. */
export const openaiResponses: Protocol = {
  path: /^\/v1\/responses$/,
  keyFault: ({ authorization }) => (authorization?.startsWith('Bearer ') ? undefined : 'Missing bearer authentication in header'),
  fault: ({ store, input }, served) =>
    store === false
      ? (firstOf(input, itemFault(served)) ?? pairFault(input) ?? picturesFault(PICTURES, input, picturesIn(input)))
      : 'this test wants `store` to be false',
  errorBody: (_status, message) => ({ error: { message, type: 'invalid_request_error', param: 'input', code: null } }),
};

const PICTURES = { pictures: 500, many: 500, manySide: 65_500, side: 65_500, pictureBytes: 50_000_000, requestBytes: 50_000_000 };

const picturesIn = (input: readonly Fields[]) =>
  input
    .flatMap(({ content, output }) => [content, output].filter(Array.isArray).flat())
    .flatMap(({ type, image_url: url }: Fields) => (type === 'input_image' ? [fromDataUrl(url)] : []));

const itemFault = (served: readonly Fields[]) => (item: Fields, i: number, input: readonly Fields[]) => {
  if (item.type === 'item_reference') return `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`;
  if (item.type === 'reasoning') return reasoningFault(item, input[i + 1], served);
  if (item.type === 'function_call') return callFault(item, `input[${i}]`);
  const texts = typeof item.content === 'string' ? [item.content] : (item.content ?? []).flatMap((part: Fields) => part.text ?? []);
  return texts.some((text: string) => !text.trim()) ? `Invalid 'input[${i}].content': expected a non-empty string.` : undefined;
};

function reasoningFault({ id, encrypted_content: sealed, summary }: Fields, next: Fields, served: readonly Fields[]): string | undefined {
  const issued = served.flatMap((body) => body.output ?? []).find((item) => item.id === id);
  if (!sealed) return `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`;
  if (issued?.encrypted_content !== sealed || JSON.stringify(issued.summary) !== JSON.stringify(summary))
    return 'The encrypted content could not be verified.';
  return next && next.role !== 'user' ? undefined : `Item '${id}' of type 'reasoning' was provided without its required following item.`;
}

function callFault({ call_id: id, name, arguments: text }: Fields, at: string): string | undefined {
  if (id.length > 64) return `Invalid '${at}.call_id': string too long. Expected a string with maximum length 64.`;
  if (!NAME.test(name))
    return `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  return isJsonObject(text) ? undefined : `Invalid '${at}.arguments': expected a JSON object.`;
}

function pairFault(input: readonly Fields[]): string | undefined {
  const idsOf = (type: string) => input.filter((item) => item.type === type).map((item) => item.call_id);
  const [calls, outputs] = [idsOf('function_call'), idsOf('function_call_output')];
  const [open, orphan] = [without(calls, outputs)[0], without(outputs, calls)[0]];
  if (open) return `No tool output found for function call ${open}.`;
  if (orphan) return `No tool call found for function call output with call_id ${orphan}.`;
  const twice = [...repeated(calls), ...repeated(outputs)][0];
  return twice ? `Duplicate item found with call_id ${twice}.` : undefined;
}
