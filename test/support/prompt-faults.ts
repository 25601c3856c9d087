import type { LanguageModelV4Message } from '@ai-sdk/provider';

type Part = { readonly type: string; readonly text?: string; readonly toolCallId?: string; readonly output?: { readonly value?: unknown } };

/**
 * Says what the strictest of the providers would refuse in a prompt: a conversation that does not start with the user, blank text, a
 * call that is not answered in the very next message, an answer without its call, and an answer that comes twice or out of order.
 */
export function promptFaults(prompt: readonly LanguageModelV4Message[]): string[] {
  const messages = prompt.filter(({ role }) => role !== 'system');
  const faults = messages[0]?.role === 'user' ? [] : [`it starts with ${messages[0]?.role ?? 'nothing'}`];
  let open: string[] = [];
  for (const [i, { role, content }] of messages.entries()) {
    const parts = content as unknown as readonly Part[];
    const answered = idsOf(parts, 'tool-result');
    if (open.join() !== answered.join()) faults.push(`message ${i} answers [${answered}], and [${open}] are open`);
    if (role !== 'tool' && answered.length > 0) faults.push(`message ${i} of the ${role} has results`);
    if (parts.length === 0) faults.push(`message ${i} of the ${role} is empty`);
    for (const part of parts) if (isBlank(part)) faults.push(`message ${i} of the ${role} has a blank ${part.type}`);
    if (role === 'assistant' && parts.at(-1)?.type === 'reasoning') faults.push(`message ${i} ends in reasoning`);
    open = idsOf(parts, 'tool-call');
    if (new Set(open).size < open.length) faults.push(`message ${i} has two calls of one id`);
  }
  return open.length > 0 ? [...faults, `[${open}] are never answered`] : faults;
}

const idsOf = (parts: readonly Part[], type: string): string[] =>
  parts.filter((part) => part.type === type).map(({ toolCallId }) => String(toolCallId));

function isBlank({ type, text, output }: Part): boolean {
  if (type === 'text') return !text?.trim() || !text.isWellFormed();
  if (type !== 'tool-result') return false;
  const { value } = output ?? {};
  return typeof value === 'string' ? !value.trim() || !value.isWellFormed() : value === undefined;
}
