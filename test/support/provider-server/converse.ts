import { picturesFault } from './pictures.ts';
import { type Fields, firstOf, isObject, NAME, type Protocol, repeated, without } from './protocol.ts';

/** Bedrock Converse: what it refuses, in its words. */
export const converse: Protocol = {
  path: /^\/model\/[^/]+\/converse$/,
  keyFault: ({ authorization }) => (authorization ? undefined : 'Missing Authentication Token'),
  fault: (body) =>
    roleFault(body.messages) ??
    firstOf(body.messages, contentFault) ??
    firstOf(body.messages, pairFault) ??
    picturesFault(PICTURES, body, picturesIn(body.messages)) ??
    nameFault(body.messages),
  errorBody: (_status, message) => ({ message }),
};

const PICTURES = { pictures: 20, many: 20, manySide: 8_000, side: 8_000, pictureBytes: 5_000_000, requestBytes: 20_000_000 };

const blocksIn = (messages: readonly Fields[]): Fields[] =>
  messages.flatMap(({ content }) => content).flatMap((block: Fields) => block.toolResult?.content ?? [block]);

const picturesIn = (messages: readonly Fields[]) =>
  blocksIn(messages).flatMap(({ image }) => (image ? [{ mediaType: `image/${image.format}`, data: image.source.bytes }] : []));

function nameFault(messages: readonly Fields[]): string | undefined {
  const names = blocksIn(messages).flatMap(({ document }) => document?.name ?? []);
  return repeated(names).length > 0 ? 'The document names must be unique' : undefined;
}

function roleFault(messages: readonly Fields[]): string | undefined {
  if (messages[0]?.role !== 'user')
    return 'A conversation must start with a user message. Try again with a conversation that starts with a user message.';
  return firstOf(messages, ({ role }, i) =>
    role === messages[i - 1]?.role
      ? 'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.'
      : undefined,
  );
}

const contentFault = ({ content }: Fields, i: number): string | undefined =>
  firstOf(content, (block: Fields, j) => {
    const at = `messages.${i}.content.${j}`;
    const texts = [block, ...(block.toolResult?.content ?? [])].map(({ text }) => text).filter((text) => text !== undefined);
    if (texts.some((text) => !text.trim()))
      return `The text field in the ContentBlock object at ${at} is blank. Add text to the text field, and try again.`;
    const { toolUse } = block;
    if (toolUse && !(NAME.test(toolUse.toolUseId) && NAME.test(toolUse.name)))
      return `Value at '${at}.toolUse' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`;
    return toolUse && !isObject(toolUse.input)
      ? `The format of the value at ${at}.toolUse.input is invalid. Provide a json object for the field and try again.`
      : undefined;
  });

function pairFault({ content }: Fields, i: number, messages: readonly Fields[]): string | undefined {
  const open = ids(messages[i - 1]?.content ?? [], 'toolUse');
  const results = ids(content, 'toolResult');
  const missing = without(open, results);
  if (missing.length > 0) return `Expected toolResult blocks at messages.${i}.content for the following Ids: ${missing.join(', ')}`;
  const extra = [...without(results, open), ...repeated(results)];
  return extra.length > 0
    ? `The number of toolResult blocks at messages.${i}.content exceeds the number of toolUse blocks of previous turn.`
    : undefined;
}

const ids = (content: readonly Fields[], kind: 'toolUse' | 'toolResult'): string[] =>
  content.filter((block) => block[kind]).map((block) => block[kind].toolUseId);
