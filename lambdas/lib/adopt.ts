import { type Agent, askedNow, findAgent } from '../../shared/agent.ts';
import { keyOf } from '../../shared/effect.ts';
import { ConflictError } from '../../shared/errors.ts';
import { callsAsRun, type Log, openReply } from '../../shared/log.ts';
import { versionOf } from '../../shared/machine.ts';
import type { Meta } from '../../shared/meta.ts';
import { pinNow } from '../../shared/pin-now.ts';
import type { Answer, Ask } from '../../shared/record.ts';
import { openAsk } from '../../shared/standing.ts';
import { allAgents, asksOf } from './agents.ts';
import { type Drift, driftOf } from './drift.ts';
import { addressOf, readEffect } from './ledger.ts';
import { appendAt, readLog } from './log-store.ts';
import { setPinAfter } from './meta-store.ts';
import { keepPinned } from './pin-store.ts';
import { askAboutCode } from './restart-ask.ts';
import { settings } from './settings.ts';
import { strand } from './strand.ts';

/**
 * What an agent wants when the code in service is not that of a run's pin. Returns META, with another pin if that was
 * adopted, or undefined when a person is asked first. Costs nothing where the agent's runs just stay.
 */
export async function metByPolicy(meta: Meta): Promise<Meta | undefined> {
  const { onDrift = 'stay' } = meta.policy;
  const agent = findAgent(allAgents, meta.agent);
  if (onDrift === 'stay' || !agent || meta.cancel || versionOf(settings().stateMachineArn) === undefined) return meta;
  const log = await readLog(meta.runId);
  if (openAsk(log) || log.at(-1)?.type === 'end' || wasAskedHere(log)) return meta;
  const drift = await driftOf(meta.runId, pinNow(meta.pin, log), agent);
  if (drift.changes.length === 0 || hasDeclined(log, drift.hash)) return meta;
  if (onDrift === 'ask') {
    const why = `The code of agent "${agent.name}" has changed since this run began, and its policy is to ask. It can stay on the code that it has ("retry").`;
    await strand(meta, askAboutCode({ reason: 'code-changed', why }, drift));
    return undefined;
  }
  if ((await openEffects(meta.runId, log)).length > 0) return meta;
  return adopt({ meta, log, agent, drift }, { reason: 'adopted', by: onDrift.adopt, via: 'policy' });
}

/** Whether what a person said about the run's code is the last word of its log: it is carried out, whatever it was. */
function wasAskedHere(log: Log): boolean {
  const last = log.at(-1);
  const ask = last?.type === 'answer' ? log[last.ask - 1] : undefined;
  return ask?.type === 'ask' && ask.kind === 'restart';
}

/** Whether somebody has said that the run should stay as it is, of this very code. */
const hasDeclined = (log: Log, hash: string): boolean =>
  log.some((record, place) => {
    const ask = record.type === 'answer' ? log[record.ask - 1] : undefined;
    const offers = ask?.type === 'ask' ? ask.questions[0]?.offers : undefined;
    const declined = record.type === 'answer' && record.answers.some(({ decision }) => decision === 'retry');
    return place > 0 && declined && offers?.of === 'code' && offers.hash === hash;
  });

/** Names the effects of the open reply that are begun and not settled. */
export async function openEffects(runId: string, log: Log): Promise<string[]> {
  const reply = openReply(log);
  if (!reply) return [];
  const begun = await Promise.all(callsAsRun(log, reply).map((call) => readEffect(addressOf(keyOf(runId, log, reply, call), call.tool))));
  return begun
    .flatMap((entry) => entry ?? [])
    .filter((entry) => entry.class !== 'read' && entry.state !== 'done' && entry.state !== 'failed')
    .map(({ tool }) => tool);
}

/** A run, and the code that it may be given to. */
export interface Adoption {
  readonly meta: Meta;
  readonly log: Log;
  readonly agent: Agent;
  readonly drift: Drift;
}

/** Who adopts, and why it is asked at all. */
export interface Adopter extends Pick<Answer, 'by' | 'via'> {
  readonly reason: string;
}

/** Pins a run to the code in service, on somebody's word: what is different, then the answer, then META. Throws a ConflictError when the run has gone on. */
export async function adopt({ meta, log, agent, drift }: Adoption, { reason, by, via }: Adopter): Promise<Meta> {
  const { runId } = meta;
  const why = `${by} gives this run to the code in service.`;
  const draft = askAboutCode({ reason, why }, drift);
  const questions = draft.questions.map((question) => askedNow(question, asksOf(meta.agent), Date.now()));
  const asked = await appendAt(runId, log.length + 1, { ...draft, questions });
  const { today, changedTools } = drift;
  await keepPinned(runId, agent);
  const answers = [{ decision: 'repin' as const, pin: today, changedTools: [...changedTools] }];
  const answered = isOurs(asked, reason)
    ? await appendAt(runId, asked.seq + 1, { type: 'answer', ask: asked.seq, by, via, answers })
    : asked;
  if (answered.type !== 'answer' || answered.by !== by)
    throw new ConflictError(`Cannot give run "${runId}" to other code: it has gone on meanwhile, at record ${answered.seq}`);
  return setPinAfter(meta, today);
}

const isOurs = (record: { readonly type: string }, reason: string): boolean => record.type === 'ask' && (record as Ask).reason === reason;
