import { defineAgent } from '../../shared/agent.ts';

/** A deployment from which every agent of other tests is gone. */
export const agents = [
  defineAgent({
    name: 'other',
    description: 'Is there',
    model: 'scripted/other',
    instructions: '',
    tools: [],
    script: () => ({ text: 'Here.' }),
  }),
];
