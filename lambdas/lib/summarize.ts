import type { Agent } from '../../shared/agent.ts';
import { type Goal, tokensBetween } from '../../shared/compaction.ts';
import { factsOf } from '../../shared/facts.ts';
import type { Log } from '../../shared/log.ts';
import type { ModelOutcome, ModelRequest } from '../../shared/model.ts';
import { costOf } from '../../shared/prices.ts';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { NOTHING_SPENT, withRequest } from '../../shared/spent.ts';
import { summaryFault } from '../../shared/summary-fault.ts';
import { tokensOf } from '../../shared/tokens.ts';
import { type SummaryPrompt, summaryPrompt } from '../../shared/transcript.ts';
import type { ViewSummary } from '../../shared/view-summary.ts';
import { appendAsk } from './append-ask.ts';
import { mustRead, setSummary, setSummarySpend, setWait } from './meta-store.ts';
import { measureSummary } from './metrics.ts';
import { askModel } from './model.ts';
import { escalate, notReplied } from './not-replied.ts';
import { priceOf } from './pin.ts';
import type { Step } from './step.ts';
import { markDiscarded, putSummary, readSummaries } from './summary-store.ts';
import type { RunView } from './view-state.ts';

/** A summary that is needed before the model can be asked. */
export interface Wanted {
  readonly step: Step;
  readonly agent: Agent;
  readonly view: RunView;
  readonly goal: Goal;
  /** The request for a reply: the summary is asked of the same model, in the same time. */
  readonly request: ModelRequest;
}

/**
 * The one act of a model step whose view has grown too large: has the model sum up, stores the summary, and leaves the log as it
 * is. One that an earlier try stored and could not note is taken up, if it goes on from where the view still starts. No good summary, after some tries, becomes an ask.
 */
export async function summarize(wanted: Wanted): Promise<Log> {
  const { step, goal } = wanted;
  const { runId } = step.meta;
  // Only those that could stand in its place: what a long run reads for a summary does not grow with their number.
  const near = await readSummaries(runId, goal.after, goal.through);
  const there = near.findLast((each) => !each.discarded && goesOnFrom(each, wanted));
  if (there) return note(step, there);
  const begun = Date.now();
  const { prompt, outcome } = await askSummary(wanted);
  if (outcome.kind !== 'reply') return notReplied(step, outcome);
  const fault = summaryFault(outcome, replacedBy(wanted, prompt), wanted.view.limits);
  if (fault) return refuse(wanted, outcome, fault);
  const version = (near.find(({ seq }) => seq === prompt.through)?.version ?? 0) + 1;
  const stored = await putSummary(runId, { ...summaryOf(wanted, prompt, outcome), version, ms: Date.now() - begun });
  measureSummary(runId, stored);
  return note(step, stored);
}

/** Another may stand by now where the one stood that it was made from. */
const goesOnFrom = ({ after, afterVersion }: ViewSummary, { goal, view }: Wanted): boolean =>
  after === goal.after && (afterVersion === undefined || afterVersion === view.summary?.version);

type Given = Extract<ModelOutcome, { kind: 'reply' }>;

/** A request that is too large is asked again with half as much, so often within one try. */
const HALVINGS = 4;

async function askSummary(wanted: Wanted): Promise<{ prompt: SummaryPrompt; outcome: ModelOutcome }> {
  for (let halved = 0; ; halved++) {
    const prompt = promptOf(wanted, wanted.view.limits.atTokens / 2 ** (halved + 1));
    const outcome = await askModel(requestOf(wanted, prompt));
    if (outcome.kind !== 'rejected' || outcome.code !== 'too-large' || halved === HALVINGS) return { prompt, outcome };
  }
}

function promptOf({ step: { log }, agent, view: { summary, limits }, goal }: Wanted, maxTokens: number): SummaryPrompt {
  const { instructions, modelSettings: { maxOutputTokens = Number.POSITIVE_INFINITY } = {} } = agent;
  // Half of what the author lets the model write is left for what it thinks, and for what estimates miss.
  const summaryTokens = Math.min(limits.summaryTokens, Math.floor(maxOutputTokens / 2));
  return summaryPrompt(log, { ...goal, instructions, before: summary?.text, maxTokens, summaryTokens });
}

/** Room for a summary and for what a model thinks before it writes, tokens; an author's own limit counts instead. */
const OUTPUT_TOKENS = 8_192;

function requestOf({ request, goal: { after }, view: { summary } }: Wanted, { instructions, text, through }: SummaryPrompt): ModelRequest {
  const { situation, settings } = request;
  return {
    ...request,
    instructions,
    tools: [],
    finishing: false,
    alone: true,
    settings: { maxOutputTokens: OUTPUT_TOKENS, ...settings },
    view: () => [{ role: 'user', text }],
    situation: { ...situation, summarize: { after, through, ...(summary ? { before: summary.text } : {}) } },
  };
}

/** Estimated tokens of what the view would show in its place. */
const replacedBy = ({ step: { log }, view, goal: { after } }: Wanted, { through }: SummaryPrompt): number =>
  (view.summary?.tokens ?? 0) + tokensBetween(log, after, through, view);

function summaryOf(wanted: Wanted, prompt: SummaryPrompt, given: Given): Omit<ViewSummary, 'version' | 'ms'> {
  const { step, view, goal } = wanted;
  const { text, usage, servedModel, requestId } = given;
  const { through } = prompt;
  return {
    v: SCHEMA_VERSION,
    seq: through,
    at: Date.now(),
    after: goal.after,
    ...(view.summary ? { afterVersion: view.summary.version } : {}),
    text: text.trim(),
    facts: factsOf(step.log, through, view.limits.factsCharacters),
    model: step.meta.pin.model,
    ...(servedModel === undefined ? {} : { servedModel }),
    ...(requestId === undefined ? {} : { requestId }),
    usage,
    attempts: step.meta.attempts,
    tokens: tokensOf(text),
    replacedTokens: replacedBy(wanted, prompt),
    ...costUsdOf(step.meta.pin.model, usage, wanted.agent),
    spent: spentWith(wanted, given),
  };
}

/** What all summaries have cost, with the newest. */
const spentWith = ({ step: { meta }, agent }: Wanted, { usage }: Given) =>
  withRequest(meta.summary?.spent ?? NOTHING_SPENT, { model: meta.pin.model, usage, ...costUsdOf(meta.pin.model, usage, agent) });

function costUsdOf(model: string, usage: Given['usage'], agent: Agent) {
  const costUsd = costOf(model, usage, priceOf(agent, model));
  return costUsd === undefined ? {} : { costUsd };
}

/** Tells the run where its view starts from now on. */
async function note(step: Step, summary: ViewSummary): Promise<Log> {
  const { log, meta } = step;
  const { seq, version, spent } = summary;
  const { remake } = meta.summary ?? {};
  const open = remake !== undefined && remake > seq ? { remake } : {};
  const noted = await setSummary(meta, { seq, version, since: log.length, spent, ...open }, `summary:${log.length}`);
  if (!noted) await madeInVain(step, summary);
  return log;
}

/** Who is said to have thrown away what was still being made when somebody threw away what it goes on from. */
const WITH_THE_OTHER = 'the run, with the one that it goes on from';

/** Meanwhile a person has said that the view starts elsewhere: that stands, and the next step goes on from there. An older segment has no say. */
async function madeInVain({ meta }: Step, summary: ViewSummary): Promise<void> {
  const { runId, segment } = meta;
  if ((await mustRead(runId)).segment !== segment) return;
  await markDiscarded(runId, summary, WITH_THE_OTHER);
  await setSummarySpend(meta, summary.spent);
}

/** What a summary that is of no use has cost counts; then it is tried again, or asked about when the tries are used up. */
async function refuse(wanted: Wanted, given: Given, fault: string): Promise<Log> {
  const { log, meta } = wanted.step;
  await setSummarySpend(meta, spentWith(wanted, given));
  if (meta.attempts >= meta.policy.maxBadReplies)
    return appendAsk(
      meta,
      log,
      escalate(
        'bad-summary',
        `The conversation is too long for the model, and no good summary of it came in ${meta.attempts} tries; the last ${fault}`,
      ),
    );
  await setWait(meta, Date.now() + 1000, `a summary is asked for again: the last ${fault}`.slice(0, 500));
  return log;
}
