import { clipTokens } from './clip.ts';
import type { Json } from './json.ts';
import type { Reply } from './record.ts';
import { plainLength } from './tokens.ts';
import type { ViewLimits } from './view-limits.ts';

type HowToRead = (index: number) => ((from: number) => string) | undefined;

/** Returns texts that have at most `max` characters of plain text together: when they have more, the longest are cut to the same length. */
export function clipTexts(texts: readonly string[], max: number, howToRead: HowToRead = () => undefined): readonly string[] {
  // A text that has more characters than that is not measured: it is too long by these alone.
  const lengths = texts.map((text) => (text.length > max ? text.length : plainLength(text)));
  const share = shareOf(lengths, max);
  return share === Number.POSITIVE_INFINITY ? texts : texts.map((text, index) => clipTokens(text, share, howToRead(index)));
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
  const long = parts.map(textIn);
  const texts = limits ? clipTexts(long, limits.replyCharacters) : long;
  if (texts === long) return reply;
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
