import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { outputText } from '../../../shared/clip-results.ts';
import type { FileRef } from '../../../shared/file.ts';
import type { Json } from '../../../shared/json.ts';
import { providerCallId, type ViewMessage } from '../../../shared/model.ts';
import type { Reply, Result } from '../../../shared/record.ts';
import type { ShownResult } from '../../../shared/shown-files.ts';
import { callArguments } from './call-arguments.ts';
import { notesOn, partsOf } from './file-parts.ts';
import { fileRules } from './file-rules.ts';
import { type FilesToSend, NO_FILES } from './files-to-send.ts';
import type { RemoteModelName } from './model-name.ts';
import type { StoredPart } from './stored-part.ts';

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type ToolPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number];
type Output = Extract<ToolPart, { type: 'tool-result' }>['output'];
type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>;
type UserMessage = Extract<ViewMessage, { role: 'user' }>;
type ToolMessage = Extract<ViewMessage, { role: 'tool' }>;
type RemoteProvider = RemoteModelName['provider'];

/**
 * Builds what is sent from the view: the same view gives the same bytes, and a longer one begins with them. Calls bear
 * our ids, reasoning goes back as it came, and no block is blank: providers give blank blocks but take none.
 */
export function promptOf(
  provider: RemoteProvider,
  instructions: string,
  view: readonly ViewMessage[],
  files: FilesToSend = NO_FILES,
): LanguageModelV4Prompt {
  const system: LanguageModelV4Prompt = instructions.trim() ? [{ role: 'system', content: instructions }] : [];
  return [...system, ...view.flatMap((message) => messageOf(provider, message, files))];
}

function messageOf(provider: RemoteProvider, message: ViewMessage, files: FilesToSend): LanguageModelV4Message[] {
  switch (message.role) {
    case 'user':
      return [userMessage(provider, message, files)];
    case 'assistant': {
      const content = assistantParts(message.reply);
      return content.length > 0 ? [{ role: 'assistant', content }] : [];
    }
    case 'tool':
      return [
        { role: 'tool', content: message.results.map((result) => toolPart(provider, message.reply, result, files)) },
        ...(fileRules(provider).inResults ? [] : filesAfter(provider, message, files)),
      ];
  }
}

function userMessage(provider: RemoteProvider, { text, id, files = [] }: UserMessage, sent: FilesToSend): UserContent {
  const said = [visible(text, '(empty message)'), ...notesOn(files, sent, id)].join('\n');
  return { role: 'user', content: [{ type: 'text', text: said }, ...partsOf(provider, files, sent)] };
}

/** All files of a batch of results, after all of its results: nothing may stand between these. */
function filesAfter(provider: RemoteProvider, { reply, results }: ToolMessage, sent: FilesToSend): UserContent[] {
  const content = results.flatMap(({ index, files = [] }): UserContent['content'] => {
    const parts = partsOf(provider, files, sent);
    if (parts.length === 0) return [];
    return [{ type: 'text', text: `(files of the result of call ${providerCallId(reply.seq, index)}:)` }, ...parts];
  });
  return content.length > 0 ? [{ role: 'user', content }] : [];
}

/** A message may not end in reasoning: providers refuse it without what it led to. */
function assistantParts(reply: Reply): AssistantPart[] {
  const stored = reply.content as unknown as readonly StoredPart[];
  const calls = stored.filter(isOurCall);
  const parts = stored.flatMap((part) => assistantPart(reply.seq, part, calls.indexOf(part)));
  return parts.slice(0, parts.findLastIndex((part) => part.type !== 'reasoning') + 1);
}

/** Calls that the provider ran itself are not ours to answer: they and their results are left out. */
const isOurCall = (part: StoredPart): boolean => part.type === 'tool-call' && !part.providerExecuted;

function assistantPart(seq: number, part: StoredPart, index: number): AssistantPart[] {
  const { text = '', providerMetadata: providerOptions } = part;
  const options = providerOptions ? { providerOptions } : {};
  if (part.type === 'text') return text.trim() ? [{ type: 'text', text: text.toWellFormed(), ...options }] : [];
  if (part.type === 'reasoning') return text.trim() || providerOptions ? [{ type: 'reasoning', text, ...options }] : [];
  if (part.type === 'custom' && part.kind) return [{ type: 'custom', kind: part.kind, ...options }];
  if (index < 0) return [];
  return [
    {
      type: 'tool-call',
      toolCallId: providerCallId(seq, index),
      toolName: sendableName(part.toolName),
      input: sendableInput(part.input),
      ...options,
    },
  ];
}

/** Providers take only an object: text that is none goes back inside one, so that the model sees what it wrote. */
function sendableInput(text: unknown): { readonly [key: string]: Json } {
  const read = callArguments(text);
  return 'input' in read ? read.input : { rawInvalidInput: read.rawInput };
}

/** A model may call a tool that does not exist by a name that its provider would not take back. */
const sendableName = (name = ''): string => name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';

function toolPart(
  provider: RemoteProvider,
  reply: Reply,
  { index, ok, output, edited, files = [] }: ShownResult,
  sent: FilesToSend,
): ToolPart {
  const name = reply.calls.find((call) => call.index === index)?.tool;
  const id = providerCallId(reply.seq, index);
  const told = visible(outputText(output, id), '(empty result)');
  const text = [...(edited ? [editNote(edited)] : []), told, ...notesOn(files, sent, id)].join('\n');
  return {
    type: 'tool-result',
    toolCallId: id,
    toolName: sendableName(name),
    output: ok ? goodOutput(provider, text, files, sent) : errorOutput(provider, text),
  };
}

const editNote = ({ by, input }: NonNullable<Result['edited']>): string =>
  `(${by.toWellFormed()} changed the arguments of this call before it ran, to ${JSON.stringify(input).toWellFormed()}. Its result:)`;

function goodOutput(provider: RemoteProvider, text: string, files: readonly FileRef[], sent: FilesToSend): Output {
  const parts = fileRules(provider).inResults ? partsOf(provider, files, sent) : [];
  return parts.length > 0 ? { type: 'content', value: [{ type: 'text', text }, ...parts] } : { type: 'text', value: text };
}

/** Anthropic marks an error beside its text, and OpenAI's adapter wraps it; to the others it must be said in the text. */
function errorOutput(provider: RemoteProvider, text: string): Output {
  const marked = provider === 'anthropic' || provider === 'openai';
  return marked ? { type: 'error-text', value: text } : { type: 'error-json', value: { error: text } };
}

/** Half a surrogate pair is no text that a provider takes: the whole conversation would be refused for it. */
const visible = (text: string, instead: string): string => (text.trim() ? text.toWellFormed() : instead);
