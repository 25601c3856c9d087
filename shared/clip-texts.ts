import { clipText } from './clip.ts';
import type { Json } from './json.ts';
import type { Reply } from './record.ts';
import type { ViewLimits } from './view-limits.ts';

type HowToRead = (index: number) => ((from: number) => string) | undefined;

/** Returns texts that have at most `max` characters together: when they have more, the longest are cut to the same length. */
export function clipTexts(texts: readonly string[], max: number, howToRead: HowToRead = () => undefined): readonly string[] {
  const share = shareOf(
    texts.map(({ length }) => length),
    max,
  );
  return share === Number.POSITIVE_INFINITY ? texts : texts.map((text, index) => clipText(text, share, howToRead(index)));
}

/** The most that each of some texts may have for all to have at most `max` together: short ones leave their room to the others. */
export function shareOf(lengths: readonly number[], max: number): number {
  let left = max;
  for (const [i, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (lengths.length - i));
    if (length > share) return Math.max(0, share);
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
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
