import { picturesFault } from './pictures.ts';
import { type Fields, firstOf, isObject, NAME, type Protocol, repeated, without } from './protocol.ts';

/** Anthropic Messages: what it refuses, in its words. */
export const anthropic: Protocol = {
  path: /^\/v1\/messages$/,
  keyFault: (headers) => (headers['x-api-key'] ? undefined : 'x-api-key header is required'),
  fault: (body, served) =>
    settingFault(body) ??
    roleFault(body.messages) ??
    firstOf(body.messages, contentFault(served)) ??
    pairFault(body.messages) ??
    picturesFault(PICTURES, body, picturesIn(body.messages)),
  errorBody: (status, message) => ({
    type: 'error',
    error: { type: status === 401 ? 'authentication_error' : 'invalid_request_error', message },
    request_id: 'req_refused',
  }),
};

const PICTURES = { pictures: 100, many: 20, manySide: 2_000, side: 8_000, pictureBytes: 5_242_880, requestBytes: 32_000_000 };

const picturesIn = (messages: readonly Fields[]) =>
  messages
    .flatMap(({ content }) => content)
    .flatMap((block: Fields) => (Array.isArray(block.content) ? block.content : [block]))
    .filter(({ type }: Fields) => type === 'image')
    .map(({ source }: Fields) => ({ mediaType: source.media_type, data: source.data }));

function settingFault(body: Fields): string | undefined {
  const sampling = ['temperature', 'top_p', 'top_k'].find((name) => body[name] !== undefined);
  if (sampling) return `${sampling}: this parameter is not supported`;
  if (!Number.isInteger(body.max_tokens)) return 'max_tokens: Field required';
  if (body.system?.some((block: Fields) => !block.text.trim())) return 'system: text content blocks must be non-empty';
  return firstOf(body.tools ?? [], (tool: Fields, i) =>
    NAME.test(tool.name) ? undefined : `tools.${i}.custom.name: String should match pattern`,
  );
}

function roleFault(messages: readonly Fields[]): string | undefined {
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  if (messages.at(-1).role !== 'user')
    return 'This model does not support assistant message prefill. The conversation must end with a user message.';
  return firstOf(messages, ({ role }, i) =>
    role === messages[i - 1]?.role
      ? `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`
      : undefined,
  );
}

const contentFault = (served: readonly Fields[]) => (message: Fields, i: number) => {
  if (message.content.length === 0) return `messages.${i}: all messages must have non-empty content`;
  if (message.role === 'assistant' && /thinking/.test(message.content.at(-1).type))
    return `messages.${i}: The final block in an assistant message cannot be \`thinking\`.`;
  return firstOf(message.content, (block: Fields, j) => blockFault(block, `messages.${i}.content.${j}`, served));
};

function blockFault(block: Fields, at: string, served: readonly Fields[]): string | undefined {
  if (block.type === 'text') return textFault(block.text);
  if (block.type === 'tool_result') return resultFault(block, at, served);
  if (block.type === 'image' || block.type === 'document') return undefined;
  if (block.type === 'tool_use') return useFault(block, at);
  const issued = served.flatMap((body) => body.content ?? []);
  return issued.some((one) => JSON.stringify(one) === JSON.stringify(block))
    ? undefined
    : `${at}: Invalid \`signature\` in \`thinking\` block`;
}

const resultFault = ({ content }: Fields, at: string, served: readonly Fields[]): string | undefined =>
  typeof content === 'string'
    ? textFault(content)
    : firstOf(content, (inner: Fields, i) => blockFault(inner, `${at}.content.${i}`, served));

function textFault(text: string): string | undefined {
  if (text === '') return 'messages: text content blocks must be non-empty';
  return text.trim() ? undefined : 'messages: text content blocks must contain non-whitespace text';
}

function useFault({ id, name, input }: Fields, at: string): string | undefined {
  if (!NAME.test(id)) return `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
  if (!NAME.test(name)) return `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`;
  return isObject(input) ? undefined : `${at}.tool_use.input: Input should be a valid dictionary`;
}

function pairFault(messages: readonly Fields[]): string | undefined {
  const used = messages.flatMap(uses);
  if (repeated(used).length > 0) return 'messages: `tool_use` ids must be unique';
  return firstOf(messages, (message, i) => {
    const open = i > 0 ? uses(messages[i - 1]) : [];
    const results = message.content.filter(isResult).map((block: Fields) => block.tool_use_id);
    const first = message.content.slice(0, results.length);
    const missing = first.every(isResult) ? without(open, results) : open;
    if (missing.length > 0)
      return `messages.${i - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    if (repeated(results).length > 0)
      return `messages.${i}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${repeated(results)[0]}`;
    const orphan = without(results, open)[0];
    return orphan
      ? `messages.${i}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
      : undefined;
  });
}

const isResult = (block: Fields): boolean => block.type === 'tool_result';
const uses = (message: Fields): string[] =>
  message.content.filter((block: Fields) => block.type === 'tool_use').map((block: Fields) => block.id);
