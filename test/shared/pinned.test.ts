import { expect, test } from 'vitest';
import * as z from 'zod';
import { type AgentDefinition, defineAgent } from '../../shared/agent.ts';
import { pinned, pinnedOf } from '../../shared/pinned.ts';
import { defineTool } from '../../shared/tool.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  effect: 'once',
  input: z.object({ cents: z.int() }),
  approval: ({ cents }) => cents > 5,
  execute: () => null,
});
const agent = (more: Partial<AgentDefinition> = {}) =>
  defineAgent({ name: 'a', description: 'A', model: 'scripted/a', instructions: 'Pay', tools: [pay], ...more });

test('pinnedOf() has what the model and the tool step know of an agent, as JSON', () => {
  const found = pinnedOf(agent({ modelSettings: { maxOutputTokens: 5 } }));
  expect(found).toMatchObject({
    instructions: 'Pay',
    settings: { maxOutputTokens: 5 },
    tools: [{ name: 'pay', description: 'Pays', class: 'once', approval: 'judged', inputSchema: { required: ['cents'] } }],
  });
  expect(pinned.parse(JSON.parse(JSON.stringify(found)))).toEqual(found);
});
