import * as z from 'zod';
import { READ_TOOL } from './text-id.ts';
import { defineTool } from './tool.ts';

/** The most that one call reads, characters. */
export const MOST_READ = 16_000;

const input = z.object({
  id: z.string().describe('The id of the call whose result is read, as in "c2_0", or of a message, as in "m1_0"'),
  from: z.int().nonnegative().default(0).describe('The first character to read'),
  length: z.int().positive().max(MOST_READ).default(MOST_READ).describe('How many characters to read'),
});

/** A tool by which the agent reads what it is not shown of a long result or message: all of it is kept. */
export const readResult = () =>
  defineTool({
    name: READ_TOOL,
    description: 'Reads a part of an earlier result, or of a message to you, that was too long to be shown whole.',
    effect: 'read',
    input,
    modelOutput: { maxCharacters: MOST_READ + 200 },
    execute: ({ id, from, length }, { textOf }) => {
      const text = textOf(id);
      if (text === undefined) throw new Error(`Cannot read "${id}": no result or message of this run has that id`);
      if (from >= text.length && text.length > 0)
        throw new Error(`Cannot read "${id}" from character ${from}: it has ${text.length} characters`);
      const part = text.slice(from, from + length);
      return `(characters ${from} to ${from + part.length} of ${text.length})\n${part}`;
    },
  });
