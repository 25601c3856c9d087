import * as z from 'zod';
import { defineTool } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

/** A tool with this name that pays in the world, and cannot tell whether it has. */
export const payingOnce = (name: string) =>
  defineTool({
    name,
    description: 'Pays',
    effect: 'once',
    input: z.object({ item: z.string() }),
    execute: ({ item }, { key }) => askWorld('/apply', { key, name, input: item }),
  });
