import { fromDataUrl, picturesFault } from './pictures.ts';
import { type Fields, firstOf, isJsonObject, NAME, type Protocol, repeated, without } from './protocol.ts';

/** OpenAI Chat Completions, and servers like it: what they refuse, in its words. */
export const openaiChat: Protocol = {
  path: /^\/v1\/chat\/completions$/,
  // Servers that are only compatible may need no key.
  keyFault: () => undefined,
  fault: (body) =>
    firstOf(body.messages, messageFault) ?? pairFault(body.messages) ?? picturesFault(PICTURES, body, picturesIn(body.messages)),
  errorBody: (_status, message) => ({ error: { message, type: 'invalid_request_error', param: 'messages', code: null } }),
};

const PICTURES = { pictures: 20, many: 20, manySide: 8_000, side: 8_000, pictureBytes: 5_000_000, requestBytes: 20_000_000 };

const picturesIn = (messages: readonly Fields[]) =>
  messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .flatMap(({ image_url: image }: Fields) => (image ? [fromDataUrl(image.url)] : []));

function messageFault({ role, content, tool_calls: calls }: Fields, i: number): string | undefined {
  if (typeof content === 'string' && !content.trim()) return `Invalid value for 'messages[${i}].content': expected a non-empty string.`;
  if (role !== 'user' && Array.isArray(content)) return `Invalid type for 'messages[${i}].content': expected a string.`;
  if (content === null && !(role === 'assistant' && calls)) return `Invalid value for 'content': expected a string, got null.`;
  return firstOf(calls ?? [], (call: Fields, j) => callFault(call, `messages[${i}].tool_calls[${j}]`));
}

function callFault({ id, function: { name, arguments: text } }: Fields, at: string): string | undefined {
  if (id.length > 40) return `Invalid '${at}.id': string too long. Expected a string with maximum length 40.`;
  if (!NAME.test(name))
    return `Invalid '${at}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  return isJsonObject(text) ? undefined : `Invalid '${at}.function.arguments': expected a JSON object.`;
}

/** Walks the messages: after a call only its results may come, until all are there. */
function pairFault(messages: readonly Fields[]): string | undefined {
  let open: string[] = [];
  for (const { role, tool_call_id: answered, tool_calls: calls = [] } of [...messages, { role: 'end' }]) {
    if (role === 'tool' && !open.includes(answered))
      return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    if (role !== 'tool' && open.length > 0)
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`;
    open = role === 'tool' ? without(open, [answered]) : calls.map((call: Fields) => call.id);
    if (repeated(open).length > 0) return 'Duplicate value for tool_call_id';
  }
  return undefined;
}
