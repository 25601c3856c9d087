import { PLAN_TOOL, plan } from './plan.ts';
import { defineTool } from './tool.ts';

/** A tool by which the agent keeps a task list. It changes nothing outside: the list is the input of the latest call. */
export const setPlan = () =>
  defineTool({
    name: PLAN_TOOL,
    description:
      'Writes down your plan: all items with their status. It replaces the plan before. You are shown it however long the work takes.',
    effect: 'read',
    input: plan,
    execute: ({ items }) => `The plan has ${items.length} items, ${items.filter(({ status }) => status === 'done').length} of them done`,
  });
