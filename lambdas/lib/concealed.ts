import type { Agent } from '../../shared/agent.ts';
import { concealReply, haveSecrets } from '../../shared/conceal.ts';
import type { Draft, Reply } from '../../shared/record.ts';
import { keyedHash } from './sealing-key.ts';
import { keepSecrets } from './secret-store.ts';

/** Returns a reply as it may be recorded at a seq: without the secrets of its calls, which are kept sealed before it is. */
export async function concealed(runId: string, seq: number, { tools }: Agent, draft: Draft<Reply>): Promise<Draft<Reply>> {
  if (!haveSecrets(tools) || draft.calls.length === 0) return draft;
  const { draft: masked, kept } = concealReply(tools, draft, await keyedHash());
  await keepSecrets(runId, seq, kept);
  return masked;
}
