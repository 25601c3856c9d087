import { NoEffectError } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import type { Found, ToolContext } from '../../shared/tool.ts';
import type { Mode } from './shop/desk.ts';

/** The variable that holds the shop's address; the tools read it anew at each call. */
export const SHOP_VARIABLE = 'TAU_RETAIL_SHOP_URL';

/** Lets the shop do what a tool does. Throws a NoEffectError when certainly nothing was done, else any other error. */
export async function callShop(mode: Mode, tool: string, input: object, { rootRunId, key, signal }: ToolContext): Promise<Json> {
  const response = await reach(`/${mode}/${rootRunId}/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(input),
    signal,
  });
  const said = (await response.json()) as { output: Json; refused?: string };
  if (response.status === 422) throw new NoEffectError(said.refused);
  if (!response.ok) throw new Error(`The shop failed with ${response.status}; whether it did anything is open`);
  return said.output;
}

/** Asks the shop whether it did something under a key. */
export async function findInShop(key: string, { rootRunId, signal }: ToolContext): Promise<Found<Json>> {
  const response = await reach(`/find/${rootRunId}/applied?key=${encodeURIComponent(key)}`, { signal });
  if (!response.ok) return { happened: 'unknown' };
  const said = (await response.json()) as { applied: boolean; output: Json };
  return said.applied ? { happened: true, output: said.output } : { happened: false };
}

/** A request that never reached the shop did nothing. */
async function reach(path: string, init: RequestInit): Promise<Response> {
  const base = process.env[SHOP_VARIABLE];
  if (!base) throw new NoEffectError(`Cannot reach the shop: ${SHOP_VARIABLE} is not set`);
  try {
    return await fetch(`${base}${path}`, init);
  } catch (error) {
    const code = ((error as Error).cause as { code?: string } | undefined)?.code;
    if (code === 'ECONNREFUSED') throw new NoEffectError(`Cannot reach the shop at ${base}: ${code}`);
    throw new Error('The connection to the shop broke; whether it did anything is open', { cause: error });
  }
}
