import * as z from 'zod';
import { textIn } from './file-text.ts';
import { parseTextId, READ_TOOL } from './text-id.ts';
import { defineTool, type FileBytes } from './tool.ts';

/** The most that one call reads, characters. */
export const MOST_READ = 16_000;

const input = z.object({
  id: z
    .string()
    .describe('The id of the call whose result is read, as in "c2_0", of a message, as in "m1_0", or of a file, as in "m1_0_f1"'),
  from: z.int().nonnegative().default(0).describe('The first character to read'),
  length: z.int().positive().max(MOST_READ).default(MOST_READ).describe('How many characters to read'),
});

/** A tool by which the agent reads what it is not shown of a long result, message or file of text: all of it is kept. */
export const readResult = () =>
  defineTool({
    name: READ_TOOL,
    description: 'Reads a part of an earlier result, of a message to you, or of a file of text, that was too long to be shown whole.',
    effect: 'read',
    input,
    modelOutput: { maxCharacters: MOST_READ + 200 },
    execute: (asked, context) =>
      parseTextId(asked.id)?.file === undefined
        ? partOf(context.textOf(asked.id), asked)
        : context.readFile(asked.id).then((file) => partOf(textOfFile(file, asked.id), asked)),
  });

function partOf(text: string | undefined, { id, from, length }: z.infer<typeof input>): string {
  if (text === undefined) throw new Error(`Cannot read "${id}": no result or message of this run has that id`);
  if (from >= text.length && text.length > 0)
    throw new Error(`Cannot read "${id}" from character ${from}: it has ${text.length} characters`);
  const part = text.slice(from, from + length);
  return `(characters ${from} to ${from + part.length} of ${text.length})\n${part}`;
}

function textOfFile({ bytes, mediaType }: FileBytes, id: string): string {
  const text = textIn(bytes, mediaType);
  if (text !== undefined) return text;
  throw new Error(`Cannot read "${id}": its ${bytes.length} bytes of type ${mediaType} are no text`);
}
