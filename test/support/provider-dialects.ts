import {
  anthropicMessage,
  chatCall,
  chatCompletion,
  converseMessage,
  functionCall,
  openaiResponse,
  outputText,
  text,
  toolUse,
} from './provider-server/answers.ts';
import type { Fields } from './provider-server/protocol.ts';

/** A call as a provider would send it: its id, tool and the text of its arguments. */
export type SentCall = readonly [id: string, tool: string, args: string];

/** How to say the same to the code in each provider's protocol, and how to read what it sent. */
export interface Dialect {
  readonly model: string;
  readonly body: (said: string, ...calls: SentCall[]) => Fields;
  /** The conversation in a request. */
  readonly messages: (body: Fields) => readonly Fields[];
  /** What stands before the conversation: tools, and the instructions where they are apart from it. */
  readonly opening: (body: Fields) => unknown;
  /** Whether arguments come as text, so that they may be no JSON. */
  readonly rawArguments: boolean;
}

const input = (args: string) => JSON.parse(args);

export const DIALECTS: readonly Dialect[] = [
  {
    model: 'anthropic/claude-x',
    body: (said, ...calls) =>
      anthropicMessage(
        [...(said ? [text(said)] : []), ...calls.map(([id, tool, args]) => toolUse(id, tool, input(args)))],
        calls.length > 0 ? 'tool_use' : 'end_turn',
      ),
    messages: (body) => body.messages,
    opening: ({ system, tools }) => ({ system, tools }),
    rawArguments: false,
  },
  {
    model: 'bedrock/us.amazon.nova-pro-v1:0',
    body: (said, ...calls) =>
      converseMessage(
        [
          ...(said ? [{ text: said }] : []),
          ...calls.map(([toolUseId, name, args]) => ({ toolUse: { toolUseId, name, input: input(args) } })),
        ],
        calls.length > 0 ? 'tool_use' : 'end_turn',
      ),
    messages: (body) => body.messages,
    opening: ({ system, toolConfig }) => ({ system, toolConfig }),
    rawArguments: false,
  },
  {
    model: 'openai/gpt-5',
    body: (said, ...calls) => openaiResponse([...(said ? [outputText(said)] : []), ...calls.map((call) => functionCall(...call))]),
    messages: (body) => body.input,
    opening: ({ tools }) => tools,
    rawArguments: true,
  },
  {
    model: 'openai-compatible/vendor/llama',
    body: (said, ...calls) =>
      chatCompletion(
        { content: said || null, ...(calls.length > 0 && { tool_calls: calls.map((call) => chatCall(...call)) }) },
        calls.length > 0 ? 'tool_calls' : 'stop',
      ),
    messages: (body) => body.messages,
    opening: ({ tools }) => tools,
    rawArguments: true,
  },
];

/** The environment in which every provider is the server at that URL. */
export const providerVariables = (url: string): Record<string, string> => ({
  ANTHROPIC_API_KEY: 'sk-ant-test-0123456789\n',
  ANTHROPIC_BASE_URL: `${url}/v1`,
  OPENAI_API_KEY: 'sk-test-0123456789',
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
  HOLDFAST_BEDROCK: '1',
  AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIATEST',
  AWS_SECRET_ACCESS_KEY: 'test',
});
