import type { Agent } from '../../shared/agent.ts';
import type { ViewState } from '../../shared/compaction.ts';
import type { Meta } from '../../shared/meta.ts';
import { READ_TOOL } from '../../shared/text-id.ts';
import { viewLimits } from '../../shared/view-limits.ts';
import type { ViewSummary } from '../../shared/view-summary.ts';
import { overheadOf } from './planned-step.ts';
import type { Step } from './step.ts';
import { newestSummary, readSummary } from './summary-store.ts';

/** What the view of a run starts from now. */
export interface RunView extends ViewState {
  readonly summary: ViewSummary | undefined;
}

/** Says how a run's log is shown to its model now. A run without summaries costs no read, a warm worker none either. */
export async function runView({ log, meta }: Step, agent: Agent): Promise<RunView> {
  const { seq = 0, version = 0, since = 0 } = meta.summary ?? {};
  const summary = await summaryOf(meta);
  const isNoted = (summary?.seq ?? 0) === seq && (summary?.version ?? 0) === version;
  return {
    limits: viewLimits(meta.policy, meta.pin.model),
    summary,
    // What META does not know of was stored by a step that did not end: no reply is to that view yet.
    since: isNoted ? since : log.length,
    overhead: overheadOf(agent),
    outputs: outputsOf(agent),
    canRead: agent.tools.some(({ name }) => name === READ_TOOL),
  };
}

/** The summary that META names; the newest that is not thrown away, where that one is gone. */
async function summaryOf({ runId, summary }: Meta): Promise<ViewSummary | undefined> {
  if (!summary?.seq) return undefined;
  const named = await readSummary(runId, summary.seq, summary.version);
  return named && !named.discarded ? named : newestSummary(runId, summary.seq);
}

/** One function for each agent: what was clipped by it once is known by it. */
const outputs = new WeakMap<Agent, NonNullable<ViewState['outputs']>>();

function outputsOf(agent: Agent): NonNullable<ViewState['outputs']> {
  const known = outputs.get(agent) ?? ((name: string) => agent.tools.find((tool) => tool.name === name)?.modelOutput);
  outputs.set(agent, known);
  return known;
}
