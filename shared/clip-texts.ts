import { clipText } from './clip.ts';
import type { Json } from './json.ts';
import type { Reply } from './record.ts';
import type { ViewLimits } from './view-limits.ts';

/** Returns texts that have at most `max` characters together: when they have more, none has more than an equal share. */
export function clipTexts(
  texts: readonly string[],
  max: number,
  howToRead: (index: number) => ((from: number) => string) | undefined = () => undefined,
): readonly string[] {
  if (texts.reduce((sum, { length }) => sum + length, 0) <= max) return texts;
  return texts.map((text, index) => clipText(text, Math.floor(max / texts.length), howToRead(index)));
}

/** Returns a reply whose texts, and the arguments of whose calls, are short enough to be shown. What it thought stays whole. */
export function clipReply(reply: Reply, limits: ViewLimits | undefined): Reply {
  const parts = reply.content as readonly Part[];
  const long = limits && parts.map(textIn);
  if (!long || long.reduce((sum, { length }) => sum + length, 0) <= limits.replyCharacters) return reply;
  const texts = clipTexts(long, limits.replyCharacters);
  return { ...reply, content: parts.map((part, i) => withText(part, long[i] as string, texts[i] as string)) };
}

interface Part {
  readonly type?: string;
  readonly text?: string;
  readonly input?: string;
  readonly [more: string]: Json | undefined;
}

const textIn = ({ type, text, input }: Part): string => String((type === 'text' ? text : type === 'tool-call' ? input : '') ?? '');

/** Arguments stay a JSON object: providers take nothing else. */
function withText(part: Part, before: string, text: string): Json {
  if (text === before) return part as Json;
  return (part.type === 'text' ? { ...part, text } : { ...part, input: JSON.stringify({ clipped: text }) }) as Json;
}
