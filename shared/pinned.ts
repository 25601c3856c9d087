import * as z from 'zod';
import type { Agent } from './agent.ts';
import { effectClass } from './effect-class.ts';
import { type Json, json } from './json.ts';
import type { AnyTool } from './tool.ts';
import { specOf } from './tool-spec.ts';

/** What a tool was when a run was pinned. */
export const pinnedSpec = z.object({
  name: z.string(),
  description: z.string(),
  /** JSON Schema of its input. */
  inputSchema: json,
  class: effectClass,
  /** Who consents: nobody, somebody each time, or as a function of the input says. */
  approval: z.enum(['never', 'always', 'judged']),
  onRepeat: z.enum(['run', 'reuse', 'ask']).optional(),
});
export type PinnedSpec = z.infer<typeof pinnedSpec>;

/** What a run was pinned to, in full: kept once, so that it can be said what is different now. */
export const pinned = z.object({ instructions: z.string(), settings: json, tools: z.array(pinnedSpec) });
export type Pinned = z.infer<typeof pinned>;

/** What an agent is, as far as a run is pinned to it. */
export const pinnedOf = ({ instructions, modelSettings = {}, tools }: Agent): Pinned => ({
  instructions,
  settings: JSON.parse(JSON.stringify(modelSettings)) as Json,
  tools: tools.map(pinnedSpecOf),
});

function pinnedSpecOf(tool: AnyTool): PinnedSpec {
  const { approval = 'never' } = tool;
  const onRepeat = tool.effect === 'read' ? undefined : tool.onRepeat;
  return {
    ...specOf(tool),
    class: tool.effect,
    approval: typeof approval === 'function' ? 'judged' : approval,
    ...(onRepeat === undefined ? {} : { onRepeat }),
  };
}
