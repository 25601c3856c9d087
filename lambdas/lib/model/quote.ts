const LIMIT = 500;

/** The keys of the providers we know begin like this; some show them half masked. */
const KEY = /\b(sk-|bedrock-api-key-|ABSK|AKIA|ASIA|Bearer )[\w*+/=.-]{4,}/g;

/** Quotes a provider's text on one line of at most 500 characters, without this key and whatever looks like one. */
export function quote(text: string, key?: string): string {
  const line = (key ? text.replaceAll(key, '[key]') : text).replaceAll(KEY, '[key]').replaceAll(/\s+/g, ' ').trim();
  return `"${line.length > LIMIT ? `${line.slice(0, LIMIT - 1)}…` : line}"`;
}
