import { findAgent } from '../../shared/agent.ts';
import { decide } from '../../shared/decide.ts';
import { UnreadableItemError, VersionGoneError } from '../../shared/errors.ts';
import { hasSecrets } from '../../shared/has-secrets.ts';
import type { Log } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import type { ServedPin } from '../../shared/pin.ts';
import { isSamePin, pinNow } from '../../shared/pin-now.ts';
import type { End } from '../../shared/record.ts';
import { metByPolicy } from './adopt.ts';
import { allAgents } from './agents.ts';
import { driftOf } from './drift.ts';
import { giveSegmentAfter } from './executions.ts';
import { finishRun } from './finish-run.ts';
import { forgetAtEnd } from './forget-secrets.ts';
import { append, readLog } from './log-store.ts';
import { setInterrupted, setPin } from './meta-store.ts';
import { askAboutCode, RESTART_LOST } from './restart-ask.ts';
import { strand } from './strand.ts';

/**
 * Gives a run the segment after one, on the code that it is pinned to; or has a person asked first, where the agent wants
 * that, or where that code is no more. A run whose log says that it ends needs no code.
 */
export async function goOn(meta: Meta, segment: number = meta.segment): Promise<void> {
  const now = await metByPolicy(meta);
  if (!now) return;
  try {
    await giveSegmentAfter(now, segment);
  } catch (error) {
    if (!(error instanceof VersionGoneError)) throw error;
    await withoutItsCode(now, error);
  }
}

async function withoutItsCode(meta: Meta, { message }: VersionGoneError): Promise<void> {
  const log = await readLog(meta.runId);
  // A run that starts another over has no task yet, and nothing that could be lost.
  if (log.length === 0) return setInterrupted(meta, `${message}; start it anew`);
  if (await ended(meta, log)) return;
  const agent = findAgent(allAgents, meta.agent);
  const drift = agent && (await driftOf(meta.runId, pinNow(meta.pin, log), agent));
  await strand(meta, askAboutCode({ reason: 'code-gone', why: `${message}.` }, drift));
}

/** Ends a run whose end needs no step: it was cancelled, aborted, or had said its last. Returns whether it did. */
async function ended(meta: Meta, log: Log): Promise<boolean> {
  const { policy, cancel } = meta;
  const limits = { now: Date.now(), waitUntil: 0, events: 0, eventLimit: Number.POSITIVE_INFINITY };
  const asked = { cancelledBy: cancel?.by, restartedAs: cancel?.restart, messages: (meta.inbox?.size ?? 0) > 0 };
  const next = decide(log, { policy, ...asked, ...limits });
  if (next.next !== 'end') return false;
  const whole = next.draft ? await append(meta.runId, log, next.draft) : log;
  if (hasSecrets(whole)) await forgetAtEnd(meta.runId, whole);
  const last = whole.at(-1);
  return last?.type === 'end' && finishRun(meta, last as End, whole);
}

/**
 * Gives a run the segment after one, on the code that its log says: what a person repinned may not be in META yet. Where
 * somebody wanted a restart and was cut off before it was begun, they are asked again.
 */
export async function goOnByLog(meta: Meta, segment: number = meta.segment): Promise<void> {
  const log = await readLog(meta.runId).catch(unlessUnreadable);
  if (log && wantsRestart(log) && !meta.cancel) return strand(meta, RESTART_LOST);
  // The served models are in the log alone.
  const { served: _, ...pin } = log ? pinNow(meta.pin, log) : (meta.pin as ServedPin);
  await goOn(isSamePin(pin, meta.pin) ? meta : await setPin(meta, pin), segment);
}

function wantsRestart(log: Log): boolean {
  const last = log.at(-1);
  return last?.type === 'answer' && last.answers.some(({ decision }) => decision === 'restart');
}

/** A log that cannot be read is told of by the step that finds it so. */
function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof UnreadableItemError)) throw error;
}
