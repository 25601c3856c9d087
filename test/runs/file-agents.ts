import { createHash } from 'node:crypto';
import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { file } from '../../shared/file.ts';
import type { Script } from '../../shared/model.ts';
import { type AnyTool, defineTool } from '../../shared/tool.ts';
import { PIXEL, pngOf } from '../support/pictures.ts';
import { askWorld } from './world.ts';

const HASH = createHash('sha256').update(PIXEL).digest('hex');

/** What the tools return, by name. */
const OUTPUTS: Record<string, () => unknown> = {
  'a picture': () => file({ bytes: PIXEL, mediaType: 'image/png', name: 'a.png' }),
  'pictures within other values': () => ({
    seen: [{ picture: file({ bytes: PIXEL, mediaType: 'image/png' }) }],
    also: file({ bytes: Buffer.from('a,b\n1,2\n'), mediaType: 'text/csv; charset=utf-8', name: 'table.csv' }),
    text: 'as it was',
  }),
  '20 MB': () => file({ bytes: pngOf(800, 600, 20_000_000), mediaType: 'image/png' }),
  'an empty file': () => ({ report: file({ bytes: new Uint8Array(), mediaType: 'application/pdf', name: 'report.pdf' }) }),
  'a wrong media type': () => file({ bytes: Buffer.from('<html>'), mediaType: 'image/png', name: 'page.png' }),
  'no media type': () => file({ bytes: PIXEL } as never),
  '25 MB and one byte': () => file({ bytes: new Uint8Array(25_000_001), mediaType: 'application/zip' }),
  '101 files': () => Array.from({ length: 101 }, (_, i) => file({ bytes: Buffer.from(`file ${i}`), mediaType: 'text/plain' })),
  'a file by hand': () => ({ $file: { sha256: HASH, bytes: PIXEL.length, mediaType: 'image/png', name: '../../x\u001b[2J.png' } }),
  'bytes that are reused': () => {
    const bytes = Buffer.from('before');
    setTimeout(() => bytes.write('after!'), 5);
    return file({ bytes, mediaType: 'text/plain' });
  },
};

const input = z.object({ what: z.string() });
const make = (name: string, effect: 'read' | 'once', more: Partial<AnyTool> = {}) =>
  defineTool({
    name,
    description: 'Returns files',
    effect,
    input,
    ...more,
    execute: async ({ what }, { key }) => {
      await askWorld('/apply', { key, name, input: what });
      return OUTPUTS[what]?.();
    },
  } as AnyTool);

const shared = make('shared_once', 'once', { key: ({ what }: { what: string }) => what } as Partial<AnyTool>);

const send = defineTool({
  name: 'send',
  description: 'Sends a file, with consent',
  effect: 'once',
  approval: 'always',
  input: z.object({ file: z.json() }),
  execute: async (_, { key }) => askWorld('/apply', { key, name: 'send', input: null }),
});

/** Looks at what its input names, then asks to send what came with it. */
const asking: Script = ({ input: given, turn }) => {
  const { see, ...rest } = given as { see: string };
  if (turn === 0) return { calls: [{ tool: 'read_files', input: { what: see } }] };
  return turn === 1 ? { calls: [{ tool: 'send', input: { file: rest } }] } : { text: 'Sent.' };
};

/** Plays the calls that its input lists, one reply for each, and then ends; a list of texts is one reply with so many calls. */
const script: Script = ({ input: given, turn }) => {
  const plays = Array.isArray(given) ? (given as [tool: string, what: string][]) : [];
  const play = plays[turn];
  return play ? { calls: [{ tool: play[0], input: { what: play[1] } }] } : { text: 'Done.' };
};

export const agents = [
  defineAgent({
    name: 'files',
    description: 'Plays calls that return files',
    model: 'scripted/files',
    instructions: 'Play.',
    tools: [make('read_files', 'read'), make('make_files', 'once'), make('hidden_files', 'once', { secretOutput: true }), shared],
    script,
  }),
  defineAgent({
    name: 'asking',
    description: 'Asks before it sends files',
    model: 'scripted/files',
    instructions: 'Play.',
    tools: [make('read_files', 'read'), send],
    asks: { approvers: ['boss@example.test'] },
    script: asking,
  }),
];
