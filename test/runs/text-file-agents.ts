import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { NoEffectError } from '../../shared/errors.ts';
import { file } from '../../shared/file.ts';
import { readResult } from '../../shared/read-result.ts';
import { defineTool } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

const named = z.object({ file: z.string().describe('The id of a file, as in "m1_0_f1"') });

const countLines = defineTool({
  name: 'count_lines',
  description: 'Counts the lines of a file',
  effect: 'read',
  input: named,
  execute: async ({ file: id }, { readFile }) => {
    const { bytes, mediaType, name } = await readFile(id);
    return { name, mediaType, bytes: bytes.length, lines: Buffer.from(bytes).toString().trimEnd().split('\n').length };
  },
});

const makeReport = defineTool({
  name: 'make_report',
  description: 'Makes a report of so many lines, and a picture that is none',
  effect: 'read',
  input: z.object({ lines: z.int() }),
  execute: ({ lines }) => ({
    report: file({ bytes: Buffer.from(reportOf(lines)), mediaType: 'text/markdown', name: 'report.md' }),
    data: file({ bytes: Buffer.from([0, 1, 2]), mediaType: 'application/octet-stream' }),
  }),
});

/** The report of the tool. */
export const reportOf = (lines: number): string => Array.from({ length: lines }, (_, i) => `- finding ${i}`).join('\n');

const sendFile = defineTool({
  name: 'send_file',
  description: 'Sends a file',
  effect: 'once',
  input: named,
  execute: async ({ file: id }, { key, readFile }) => {
    const { bytes } = await readFile(id).catch((error: Error) => Promise.reject(new NoEffectError(error.message)));
    await askWorld('/apply', { key, name: 'send_file', input: Buffer.from(bytes).toString() });
    return 'sent';
  },
});

const tools = [countLines, makeReport, sendFile, readResult()];
const more = { model: 'anthropic/claude-x', instructions: 'Read.', tools };

export const agents = [
  defineAgent({ ...more, name: 'reader', description: 'Reads files' }),
  defineAgent({
    ...more,
    name: 'forgetful',
    description: 'Reads files, and is soon summed up',
    policy: { compaction: { atTokens: 2_500 } },
  }),
];
