import type { Agent } from '../../shared/agent.ts';
import { finishingAt } from '../../shared/budget.ts';
import { dueSummary, roomMaking } from '../../shared/compaction.ts';
import { TooLargeError } from '../../shared/errors.ts';
import { type Log, latest } from '../../shared/log.ts';
import type { ModelOutcome, ModelRequest, Situation } from '../../shared/model.ts';
import { costOf } from '../../shared/prices.ts';
import { specOf } from '../../shared/tool-spec.ts';
import { view } from '../../shared/view.ts';
import { appendAsk } from './append-ask.ts';
import { hashFor } from './call-hash.ts';
import { concealed } from './concealed.ts';
import { readFile } from './file-store.ts';
import { heldBy } from './held.ts';
import { draftReply } from './judge.ts';
import { lastFailure } from './last-failure.ts';
import { append } from './log-store.ts';
import { askModel } from './model.ts';
import { escalate, notReplied } from './not-replied.ts';
import { priceOf } from './pin.ts';
import type { Step } from './step.ts';
import { summarize } from './summarize.ts';
import { type RunView, runView } from './view-state.ts';

/** The invocation keeps this much of its time to record the outcome, ms. */
const RESERVE_MS = 15_000;

/** Asks the model once and appends its reply; overload becomes a wait, and what only a person can mend an ask. */
export async function performModel(begun: Step): Promise<Log> {
  const { log, meta } = begun;
  if (meta.attempts > meta.policy.maxModelAttempts)
    return appendAsk(
      meta,
      log,
      escalate('step-fails', `The model step was begun ${meta.attempts - 1} times and never ended.${lastFailure(begun.state)}`),
    );
  const held = await heldBy(begun);
  return 'ask' in held ? appendAsk(meta, log, held.ask) : askForReply(held.step, held.agent);
}

async function askForReply(step: Step, agent: Agent): Promise<Log> {
  const { log, meta } = step;
  const shown = await runView(step, agent);
  const request = requestOf(step, agent, shown);
  const due = dueSummary(log, shown, meta.summary?.remake);
  if (due) return summarize({ step, agent, view: shown, goal: due, request });
  const begun = Date.now();
  const outcome = await askModel(request);
  const room = isTooLarge(outcome) && shown.since < log.length ? roomMaking(log, shown) : undefined;
  if (room) return summarize({ step, agent, view: shown, goal: room, request });
  if (outcome.kind !== 'reply') return notReplied(step, outcome);
  const spent = { model: meta.pin.model, ms: Date.now() - begun, attempts: meta.attempts };
  const costUsd = costOf(meta.pin.model, outcome.usage, priceOf(agent, meta.pin.model));
  const run = { runId: meta.runId, agent, log, hash: await hashFor(agent) };
  const judged = draftReply(run, outcome, { ...spent, ...(costUsd === undefined ? {} : { costUsd }) });
  const recorded = concealed(meta.runId, log.length + 1, agent, judged).then((draft) => append(meta.runId, log, draft));
  return recorded.catch((error: unknown) => {
    if (!(error instanceof TooLargeError)) throw error;
    return appendAsk(meta, log, escalate('reply-too-large', `The model's reply is too large to be kept. ${error.message}.`));
  });
}

const isTooLarge = (outcome: ModelOutcome): boolean => outcome.kind === 'rejected' && outcome.code === 'too-large';

function requestOf({ log, meta, invocation }: Step, agent: Agent, shown: RunView): ModelRequest {
  return {
    runId: meta.runId,
    model: meta.pin.model,
    settings: agent.modelSettings ?? {},
    instructions: agent.instructions,
    tools: agent.tools.map(specOf),
    view: () => view(log, shown),
    readFile: (file) => readFile(meta, file),
    situation: { ...situationOf(log, meta.totals.turns, meta.attempts), model: meta.pin.model },
    finishing: finishingAt(log) !== undefined,
    script: agent.script,
    signal: AbortSignal.timeout(Math.max(1_000, invocation.getRemainingTimeInMillis() - RESERVE_MS)),
  };
}

function situationOf(log: Log, turn: number, attempt: number): Situation {
  const first = log[0];
  const last = log.at(-1);
  return {
    input: first?.type === 'task' ? first.input : null,
    turn,
    results: latest(log, 'results')?.results ?? [],
    messages: last?.type === 'user' ? last.messages.map(({ text }) => text) : [],
    attempt,
    ...(finishingAt(log) ? { finishing: true } : {}),
  };
}
