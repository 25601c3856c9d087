import type { Agent } from '../../shared/agent.ts';
import { haveSecrets } from '../../shared/conceal.ts';
import { type CallHash, callHash } from './hash.ts';
import { keyedHash } from './sealing-key.ts';

/** Makes the hash of an agent's calls: with a key for those of tools that have secrets, or that are not there. Nothing is read for an agent without. */
export async function hashFor({ tools }: Agent): Promise<CallHash> {
  if (!haveSecrets(tools)) return callHash;
  const keyed = await keyedHash();
  const open = new Set(tools.flatMap(({ name, secrets }) => (secrets ? [] : [name])));
  return (tool, input) => (open.has(tool) ? callHash : keyed)(tool, input);
}
