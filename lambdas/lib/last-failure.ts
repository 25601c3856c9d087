import type { ExecutionState } from '../../shared/machine.ts';

/** Says why the invocation before this one failed, as far as the platform reported it; else an empty text. */
export function lastFailure({ failure }: ExecutionState): string {
  const said = messageIn(failure?.Cause).replace(/^RequestId: \S+ /, '');
  const words = [failure?.Error, said].filter((text) => text);
  return words.length > 0 ? ` The last failure: ${words.join(': ').slice(0, 500).toWellFormed()}.` : '';
}

/** The cause of a failed invocation is JSON, as Lambda writes it. */
function messageIn(cause = ''): string {
  try {
    return String((JSON.parse(cause) as { errorMessage?: unknown }).errorMessage ?? '');
  } catch {
    return cause;
  }
}
