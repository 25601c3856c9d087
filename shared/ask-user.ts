import * as z from 'zod';
import type { AskTerms } from './record.ts';
import { defineTool } from './tool.ts';

const input = z.object({
  question: z.string().min(1).max(4_000).describe('What you need to know, in full sentences'),
  options: z
    .array(z.string().min(1).max(200))
    .min(2)
    .max(20)
    .optional()
    .describe('The answers to choose from; leave it out for a free answer'),
});

/** A tool by which the agent asks a person: the run waits, and the answer is the result of the call. */
export const askUser = (terms: AskTerms & { readonly name?: string } = {}) => {
  const { name = 'ask_user', ...rest } = terms;
  return defineTool({
    name,
    description: 'Asks a person a question and waits for the answer, for days if need be. Ask only what you cannot find out yourself.',
    effect: 'read',
    input,
    question: ({ question, options }) => ({ text: question, ...(options ? { options } : {}), ...rest }),
    execute: () => {
      throw new Error('A question is answered by a person');
    },
  });
};
