/** What every turn carries, here and at the peer: a reply with one call, and that call's result. */
const REPLY_CHARS = 512;
const RESULT_CHARS = 1024;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Text of 6 bits a character, always the same for a seed: no compression can make it look cheaper to store. */
function noise(seed: number, length: number): string {
  let state = (Math.imul(seed + 1, 0x9e3779b1) | 1) >>> 0;
  let text = '';
  while (text.length < length) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    text += ALPHABET[state & 63];
  }
  return text;
}

/** What the model says in a turn, counted from 0. */
export const replyText = (turn: number): string => noise(2 * turn, REPLY_CHARS);

/** What the tool returns in a turn. */
export const resultText = (turn: number): string => noise(2 * turn + 1, RESULT_CHARS);

/** Bytes of a turn as the plain JSON of its two messages: what any design has to keep. */
export function payloadBytes(turn: number): number {
  const call = { id: 'call_0', name: 'read_text', arguments: { turn } };
  const reply = { role: 'assistant', content: replyText(turn), calls: [call] };
  const result = { role: 'tool', callId: call.id, content: resultText(turn) };
  return Buffer.byteLength(JSON.stringify(reply) + JSON.stringify(result));
}
