import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../shared/tool.ts';
import { specOf } from '../../shared/tool-spec.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  effect: 'once',
  input: z.object({ cents: z.int() }),
  execute: () => null,
});

test('specOf() tells the arguments as JSON schema', () => {
  expect(specOf(pay)).toMatchObject({ name: 'pay', description: 'Pays', inputSchema: { type: 'object', required: ['cents'] } });
});

test('specOf() gives the same object each time, so that what is sent to the model stays the same', () => {
  expect(specOf(pay)).toBe(specOf(pay));
});
