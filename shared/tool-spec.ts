import * as z from 'zod';
import { describe } from './conceal.ts';
import type { Json } from './json.ts';
import type { ToolSpec } from './model.ts';
import type { AnyTool } from './tool.ts';

const specs = new WeakMap<AnyTool, ToolSpec>();

/** A tool as the model is told of it; made once. */
export function specOf(tool: AnyTool): ToolSpec {
  const known = specs.get(tool);
  if (known) return known;
  const made = { name: tool.name, description: describe(tool), inputSchema: z.toJSONSchema(tool.input, { io: 'input' }) as Json };
  specs.set(tool, made);
  return made;
}
