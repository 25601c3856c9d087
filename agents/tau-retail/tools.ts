import * as z from 'zod';
import { DeclarationError } from '../../shared/errors.ts';
import { type AnyTool, defineTool, type ToolContext } from '../../shared/tool.ts';
import type { ShopTool } from './data.ts';
import type { Mode } from './shop/desk.ts';
import { callShop, findInShop } from './shop-client.ts';

/** One call may take this long, s. */
const TIMEOUT_SECONDS = 20;

/** Tells from a tool's name whether it changes the shop. */
export const isWrite = (name: string): boolean => /^(cancel|exchange|modify|return)_/.test(name);

/** Makes the tools of a shop in some mode; what makes their writes safe follows from the mode. */
export const toolsFor = (described: readonly ShopTool[], mode: Mode): AnyTool[] => described.map((tool) => toolFor(tool, mode));

function toolFor({ name, description, parameters }: ShopTool, mode: Mode): AnyTool {
  const base = {
    name,
    description,
    input: inputOf(name, parameters),
    timeoutSeconds: TIMEOUT_SECONDS,
    execute: (input: object, context: ToolContext) => callShop(mode, name, input, context),
  };
  if (!isWrite(name)) return defineTool({ ...base, effect: 'read' });
  if (mode === 'keys') return defineTool({ ...base, effect: 'idempotent' });
  if (mode === 'blind') return defineTool({ ...base, effect: 'once' });
  return defineTool({ ...base, effect: 'reconcile', find: (key, _input, context) => findInShop(key, context) });
}

/** The schema of a tool's arguments; what it does not name is not an argument. */
function inputOf(name: string, parameters: ShopTool['parameters']): z.ZodObject {
  const schema = z.fromJSONSchema({ ...parameters, additionalProperties: false } as Parameters<typeof z.fromJSONSchema>[0]);
  if (schema instanceof z.ZodObject) return schema;
  throw new DeclarationError(`Cannot use tool "${name}": its parameters are not the JSON schema of an object`);
}
