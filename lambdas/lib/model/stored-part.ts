import type { SharedV4ProviderOptions } from '@ai-sdk/provider';

/** A part of a reply's content as it stands in the log: the AI SDK's content part, as JSON. */
export interface StoredPart {
  /** `text`, `reasoning`, `tool-call`, `custom`, and kinds that are kept but never sent back. */
  readonly type: string;
  readonly text?: string;
  readonly kind?: `${string}.${string}`;
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** The arguments' text as the model wrote it. */
  readonly input?: unknown;
  /** True for a call that the provider ran itself. */
  readonly providerExecuted?: boolean;
  /** What the provider wants back with the part, e.g. a signature. */
  readonly providerMetadata?: SharedV4ProviderOptions;
}
