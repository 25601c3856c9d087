import { findAgent } from '../../shared/agent.ts';
import { ConflictError, ProblemError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import { pinNow, servedModels } from '../../shared/pin-now.ts';
import type { AnswerTo, Ask, Offer } from '../../shared/record.ts';
import { answersOf, openAsk } from '../../shared/standing.ts';
import { type Adoption, adopt, openEffects } from './adopt.ts';
import { allAgents } from './agents.ts';
import { type Drift, driftOf, offerHash } from './drift.ts';
import { readLog } from './log-store.ts';
import { parseModelName } from './model/model-name.ts';
import { keepPinned } from './pin-store.ts';

/** An answer as it is sent: a `repin` may name a model. */
export type GivenPin = AnswerTo & { readonly model?: string };

const wrong = (detail: string, field: string) => new ProblemError(400, 'Invalid answer', detail, field);
const conflict = (title: string, detail: string) => new ProblemError(409, title, detail);

/**
 * Says what each `repin` among some answers pins the run to. Throws a 400 problem for one that nobody answers for by name or
 * that names no model where one is needed, and a 409 problem when the code in service is not what was shown any more.
 */
export async function withPins(meta: Meta, ask: Ask, given: readonly GivenPin[], by: string | undefined): Promise<AnswerTo[]> {
  const stray = given.find(({ decision, model }) => model !== undefined && decision !== 'repin');
  if (stray) throw wrong(`model: "${stray.decision}" takes none; only repin does`, 'model');
  if (given.every(({ decision }) => decision !== 'repin')) return given.map(({ model: _, ...answer }) => answer);
  if (by === undefined) throw wrong('by: who gives a run another pin must say who that is', 'by');
  const log = await readLog(meta.runId);
  return Promise.all(given.map((each) => pinned(meta, log, { ask, by }, each)));
}

interface Given {
  readonly ask: Ask;
  readonly by: string;
}

async function pinned(meta: Meta, log: Log, { ask, by }: Given, { model, ...answer }: GivenPin): Promise<AnswerTo> {
  if (answer.decision !== 'repin') return answer;
  // The same answer again pins the run to the same, whatever is in service by now.
  const before = answersOf(log, ask)
    .find((record) => record.by === by)
    ?.answers.find(({ decision }) => decision === 'repin');
  if (before?.pin) return { ...answer, pin: before.pin, ...(before.changedTools ? { changedTools: before.changedTools } : {}) };
  const offers = ask.questions.find(({ index }) => index === answer.index)?.offers;
  if (offers?.of !== 'model' && model !== undefined) throw wrong('model: this ask is not about a model that you may name', 'model');
  return { ...answer, ...(await newPin(meta, log, offers, model)) };
}

async function newPin(
  meta: Meta,
  log: Log,
  offers: Offer | undefined,
  model: string | undefined,
): Promise<Pick<AnswerTo, 'pin' | 'changedTools'>> {
  const { served: _, ...pin } = pinNow(meta.pin, log);
  if (offers?.of === 'served') return { pin: { ...pin, served: [...servedModels(log), offers.model] } };
  if (offers?.of === 'model') return { pin: { ...pin, model: namedModel(model) } };
  const { agent, drift } = await adoptionOf(meta, log);
  if (offers && !isOffered(offers.hash, drift)) throw stale(meta, drift);
  await keepPinned(meta.runId, agent);
  return { pin: drift.today, changedTools: [...drift.changedTools] };
}

function namedModel(model: string | undefined): string {
  if (model === undefined) throw wrong('model: name the model that the run goes on with, as "<provider>/<model id>"', 'model');
  if (parseModelName(model)) return model;
  throw wrong(`model: it must be "<provider>/<model id>" with a provider that is known, not "${model.slice(0, 100)}"`, 'model');
}

const isOffered = (hash: string, { today }: Drift): boolean => hash === offerHash(today) || hash === offerHash(today, 'any version');

const stale = ({ runId }: Meta, { changes }: Drift) =>
  conflict(
    'Changed since',
    `The code in service has changed since this was asked: ${changes.join('; ') || 'only its version'}. Look again ("holdfast pin ${runId}"), then repin`,
  );

/** What a run would be given to. Throws a 409 problem when the code in service has no such agent. */
export async function adoptionOf(meta: Meta, log: Log): Promise<Adoption> {
  const agent = findAgent(allAgents, meta.agent);
  if (!agent)
    throw conflict('No such agent', `The code in service has no agent "${meta.agent}": there is nothing to give run "${meta.runId}" to`);
  return { meta, log, agent, drift: await driftOf(meta.runId, pinNow(meta.pin, log), agent) };
}

/** Gives a run to the code in service because somebody wants that. `expected` stands for what they were shown. Throws 409 problems. */
export async function repinRun(meta: Meta, by: string, expected: string | undefined): Promise<Meta> {
  const adoption = await adoptionOf(meta, await readLog(meta.runId));
  const { log, drift } = adoption;
  if (expected !== undefined && !isOffered(expected, drift)) throw stale(meta, drift);
  if (drift.changes.length === 0)
    throw conflict('Nothing to adopt', `Run "${meta.runId}" is pinned to what is in service: there is nothing that it could be given`);
  const open = await openEffects(meta.runId, log);
  // Where the code is gone no step can settle them: the code that follows does, each by the class with which it began.
  if (open.length > 0 && openAsk(log)?.kind !== 'restart')
    throw conflict(
      'Effect open',
      `Run "${meta.runId}" has begun ${open.join(', ')}, and the outcome is not recorded yet; repin it once it is`,
    );
  return adopt(adoption, { reason: 'asked-for', by, via: 'API' }).catch(unlessGoneOn);
}

function unlessGoneOn(error: unknown): never {
  if (error instanceof ConflictError) throw conflict('Run has gone on', `${error.message}; try again`);
  throw error;
}
