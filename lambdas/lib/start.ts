import { ulid } from 'ulid';
import { type Agent, findAgent } from '../../shared/agent.ts';
import type { StartRunRequest } from '../../shared/api.ts';
import { ProblemError } from '../../shared/errors.ts';
import { canonical } from '../../shared/json.ts';
import type { Meta, RunStatus } from '../../shared/meta.ts';
import { hasPrice } from '../../shared/prices.ts';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { START_SORT_KEY, startKey } from '../../shared/tables.ts';
import { allAgents } from './agents.ts';
import { claimId } from './claims.ts';
import { startSegment } from './executions.ts';
import { putFiles } from './file-store.ts';
import { sha256 } from './hash.ts';
import { appendAt } from './log-store.ts';
import { createMeta, mustRead } from './meta-store.ts';
import { modelOf, todaysPin } from './pin.ts';
import { keepPinned } from './pin-store.ts';
import type { Received } from './received-files.ts';

/** A started run. */
export interface Started {
  readonly runId: string;
  readonly status: RunStatus;
}

/**
 * Starts a run: the files of its input, its task, what it is pinned to, its META, then its first segment, each written once. A
 * repeat with the same key finds what is there and does what is missing. Throws ProblemErrors: 404 unknown agent, 422 same key with another request.
 */
export async function createRun({ value: request, files }: Received<StartRunRequest>, key: string | undefined): Promise<Started> {
  const agent = agentNamed(request.agent);
  const hash = key === undefined ? undefined : sha256(key);
  const runId = hash === undefined ? ulid() : await claimId({ pk: startKey(hash), sk: START_SORT_KEY }, ulid(), canonical(request));
  await putFiles(runId, files);
  await appendAt(runId, 1, { type: 'task', agent: agent.name, input: request.input });
  await keepPinned(runId, agent);
  const fresh = { ...firstMeta(runId, agent), ...(hash === undefined ? {} : { startKey: hash }) };
  const meta = (await createMeta(fresh)) ? fresh : await mustRead(runId);
  // A run that has left its first segment was started before.
  if (meta.segment === 1 && meta.epoch === 0) await startSegment(meta, 1);
  return { runId, status: meta.status };
}

/** The agent of a name. Throws a 404 problem when this deployment has none, 422 when its budget cannot be checked. */
export function agentNamed(name: string): Agent {
  const agent = findAgent(allAgents, name);
  if (agent) return priced(agent);
  const there = allAgents.map((each) => each.name).join(', ');
  throw new ProblemError(404, 'No such agent', `There is no agent "${name.slice(0, 100)}"; there are ${there}`, 'agent');
}

/** A budget in money that nobody could check would hold nothing. */
function priced(agent: Agent): Agent {
  const { name, policy, budgetPerDay, price } = agent;
  const model = modelOf(agent);
  const budget =
    policy.maxCostUsd !== undefined ? 'policy.maxCostUsd' : budgetPerDay?.costUsd !== undefined ? 'budgetPerDay.costUsd' : undefined;
  if (!budget || hasPrice(model, price)) return agent;
  throw new ProblemError(
    422,
    'Price not known',
    `Agent "${name}" has a budget in money (${budget}), and the price of ${model} is not known: say it in the agent's price, or take the budget out`,
    'agent',
  );
}

/** META of a run of today's agent that has not begun. */
export function firstMeta(runId: string, agent: Agent): Meta {
  const now = Date.now();
  return {
    v: SCHEMA_VERSION,
    runId,
    agent: agent.name,
    status: 'running',
    reason: 'started',
    pin: todaysPin(agent),
    policy: agent.policy,
    createdAt: now,
    seenAt: now,
    segment: 1,
    epoch: 0,
    overThrough: 0,
    step: '',
    attempts: 0,
    recoveries: 0,
    waitUntil: 0,
    totals: { turns: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  };
}
