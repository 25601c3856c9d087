/** The longest sentence that is kept of an error, characters. */
const MAX_SENTENCE = 4_000;

/** Says in words what was thrown, whatever it is: tools throw texts, objects and nothing at all. Never throws. */
export function sentenceOf(thrown: unknown): string {
  try {
    return wordsOf(thrown).slice(0, MAX_SENTENCE).toWellFormed();
  } catch {
    return 'it threw something that cannot be shown';
  }
}

function wordsOf(thrown: unknown): string {
  if (thrown === undefined || thrown === null || thrown === '') return `it threw ${thrown === '' ? 'an empty text' : thrown}`;
  if (typeof thrown !== 'object') return String(thrown);
  const { message, name } = thrown as { message?: unknown; name?: unknown };
  if (typeof message === 'string' && message.trim()) return message;
  if (thrown instanceof Error) return String(name || 'Error');
  return `it threw ${JSON.stringify(thrown)}`;
}
