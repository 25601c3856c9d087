import type { Log } from '../../shared/log.ts';
import { type Meta, meta, type RunStatus } from '../../shared/meta.ts';
import type { Pin } from '../../shared/pin.ts';
import { planSeq } from '../../shared/plan.ts';
import { type Ask, type End, SCHEMA_VERSION } from '../../shared/record.ts';
import { META_KEY, runKey } from '../../shared/tables.ts';
import { totalsOf } from '../../shared/totals.ts';
import { ABSENT, type Condition, get, type Item, putIf, updateIf } from './dynamo.ts';
import { readItem } from './item.ts';
import { measure } from './metrics.ts';

const keyOf = (runId: string) => ({ pk: runKey(runId), sk: META_KEY });
const read = (item: Item): Promise<Meta> => readItem(meta, item);
/** `status`, `step` and others are reserved words of DynamoDB, so every attribute goes by a placeholder. */
const named = (...names: string[]) => Object.fromEntries(names.map((name) => [`#${name}`, name]));
/** Statuses in which steps may run. */
const UNFINISHED: readonly RunStatus[] = ['running', 'waiting', 'interrupted'];
const OPEN = '#status IN (:running, :waiting, :interrupted)';
const OPEN_VALUES = { ':running': 'running', ':waiting': 'waiting', ':interrupted': 'interrupted' };

/**
 * Changes a run's META if the condition holds and it has the shape that this code knows; returns it as it is now. That of a
 * run which was erased, or is here only to be looked at, is changed by nobody.
 */
const change = (runId: string, update: string, { expression, names, values }: Condition): Promise<Item | undefined> =>
  updateIf(keyOf(runId), update, {
    expression: `#v = :v AND attribute_not_exists(#erased) AND attribute_not_exists(#imported) AND (${expression})`,
    names: { ...names, ...named('v', 'erased', 'imported') },
    values: { ...values, ':v': SCHEMA_VERSION },
  });

/** Reads a run's META, strongly consistent. */
export async function readMeta(runId: string): Promise<Meta | undefined> {
  const item = await get(keyOf(runId));
  return item && read(item);
}

/** Creates a run's META; one that is there already stays. */
export const createMeta = (created: Meta): Promise<boolean> => putIf({ ...keyOf(created.runId), ...created }, ABSENT);

/** What an invocation says of itself when it begins a step. */
export interface Beginning {
  readonly runId: string;
  readonly segment: number;
  /** `<kind>:<cursor>` */
  readonly step: string;
  readonly now: number;
  readonly log: Log;
}

/**
 * Counts the attempt at a step, durably, before the step does anything, and returns META with it: one write on the
 * common path. Returns `marked: false` when the step may not run now (superseded, ended, cancelled, waiting).
 */
export async function beginStep(beginning: Beginning): Promise<{ meta: Meta; marked: boolean }> {
  const fresh = await mark(beginning, ':one', '#step <> :step');
  if (fresh) return { meta: fresh, marked: true };
  const again = await mark(beginning, '#attempts + :one', '#step = :step');
  if (again) return { meta: again, marked: true };
  return { meta: await mustRead(beginning.runId), marked: false };
}

async function mark({ runId, segment, step, now, log }: Beginning, attempts: string, which: string): Promise<Meta | undefined> {
  const planAt = planSeq(log);
  const update =
    `SET #step = :step, #attempts = ${attempts}, #seenAt = :now, #status = :running, #reason = :reason, #totals = :totals, #waitUntil = :zero, #recoveries = :zero${planAt ? ', #planAt = :planAt' : ''} ` +
    'REMOVE #waiting ADD #epoch :one';
  const condition: Condition = {
    expression: `#segment = :segment AND ${which} AND ${OPEN} AND #waitUntil <= :now AND attribute_not_exists(#cancel)`,
    names: named(
      'step',
      'attempts',
      'seenAt',
      'status',
      'reason',
      'totals',
      'waitUntil',
      'recoveries',
      'waiting',
      'epoch',
      'segment',
      'cancel',
      ...(planAt ? ['planAt'] : []),
    ),
    values: {
      ':step': step,
      ':one': 1,
      ':zero': 0,
      ':now': now,
      ':reason': step.startsWith('model') ? 'asking the model' : 'running tools',
      ':totals': totalsOf(log),
      ':segment': segment,
      ...(planAt ? { ':planAt': planAt } : {}),
      ...OPEN_VALUES,
    },
  };
  const item = await change(runId, update, condition);
  return item && read(item);
}

/** Takes back the count of an attempt at a step that is left to the next segment: nothing was tried. */
export async function uncount({ runId, segment, epoch }: Meta): Promise<void> {
  await change(runId, 'ADD #attempts :less', {
    expression: `#segment = :segment AND #epoch = :epoch AND #attempts > :zero AND ${OPEN}`,
    names: named('attempts', 'segment', 'epoch', 'status'),
    values: { ':less': -1, ':segment': segment, ':epoch': epoch, ':zero': 0, ...OPEN_VALUES },
  });
}

/** Reads META of a run that must have one. */
export async function mustRead(runId: string): Promise<Meta> {
  const found = await readMeta(runId);
  if (!found) throw new Error(`Cannot go on with run "${runId}": it has no META item`);
  return found;
}

/**
 * Lets no step of the run begin before a time, ms since the epoch, and says why. An older segment has no say. `idle`: the
 * invocation only looked, and its attempt does not count.
 */
export async function setWait({ runId, segment, attempts }: Meta, waitUntil: number, reason: string, idle = false): Promise<void> {
  const set = await change(runId, 'SET #waitUntil = :until, #reason = :reason, #attempts = :attempts', {
    expression: `#segment = :segment AND ${OPEN}`,
    names: named('waitUntil', 'reason', 'attempts', 'status', 'segment'),
    values: {
      ':until': waitUntil,
      ':reason': reason,
      ':attempts': Math.max(1, attempts - (idle ? 1 : 0)),
      ':segment': segment,
      ...OPEN_VALUES,
    },
  });
  if (set && !idle) measure({ Waits: 1 }, { runId, message: `Waits until ${new Date(waitUntil).toISOString()}` });
}

type ViewStart = NonNullable<Meta['summary']>;

/**
 * Notes that the view starts from a new summary, that this step is done, and that no try at the model is counted yet. Returns false,
 * and changes nothing, when somebody threw away what the new one goes on from, or wants another made, since META was read.
 */
export async function setSummary(meta: Meta, summary: ViewStart, step: string): Promise<boolean> {
  const { runId, segment } = meta;
  const { expression, names, values } = unmoved(meta);
  const set = await change(runId, 'SET #summary = :summary, #step = :step, #attempts = :zero', {
    expression: `#segment = :segment AND ${OPEN} AND ${expression}`,
    names: { ...names, ...named('summary', 'segment', 'status', 'step', 'attempts') },
    values: { ...values, ':summary': summary, ':segment': segment, ':step': step, ':zero': 0, ...OPEN_VALUES },
  });
  return set !== undefined;
}

/** The view starts where META, as it was read, says. */
function unmoved({ summary }: Meta): Condition {
  if (!summary) return { expression: 'attribute_not_exists(#summary)', names: named('summary') };
  const { seq, version, remake } = summary;
  return {
    expression: `#summary.#seq = :seq AND #summary.#version = :version AND ${remake === undefined ? 'attribute_not_exists(#summary.#remake)' : '#summary.#remake = :remake'}`,
    names: named('summary', 'seq', 'version', 'remake'),
    values: { ':seq': seq, ':version': version, ...(remake === undefined ? {} : { ':remake': remake }) },
  };
}

/** Counts what a summary has cost that the view does not start from. Where it does start is not touched: people may be moving it. */
export async function setSummarySpend({ runId, segment, summary }: Meta, spent: ViewStart['spent']): Promise<void> {
  const first = { seq: 0, version: 0, since: 0, spent };
  await change(runId, summary ? 'SET #summary.#spent = :spent' : 'SET #summary = :first', {
    expression: `#segment = :segment AND ${OPEN} AND ${summary ? 'attribute_exists(#summary)' : 'attribute_not_exists(#summary)'}`,
    names: named('summary', 'segment', 'status', ...(summary ? ['spent'] : [])),
    values: { ':segment': segment, ...(summary ? { ':spent': spent } : { ':first': first }), ...OPEN_VALUES },
  });
}

/**
 * Moves the start of the view, away from a summary that was thrown away, and leaves what all have cost. Returns false when it has
 * moved since META was read.
 */
export async function moveSummary(meta: Meta, { seq, version, since, remake }: Omit<ViewStart, 'spent'>): Promise<boolean> {
  const { expression, names, values } = unmoved(meta);
  const update = 'SET #summary.#seq = :toSeq, #summary.#version = :toVersion, #summary.#since = :since';
  const moved = await change(meta.runId, remake === undefined ? update : `${update}, #summary.#remake = :toRemake`, {
    expression,
    names: { ...names, ...named('since') },
    values: {
      ...values,
      ':toSeq': seq,
      ':toVersion': version,
      ':since': since,
      ...(remake === undefined ? {} : { ':toRemake': remake }),
    },
  });
  return moved !== undefined;
}

/** Shows that the run waits for people, unless it has gone on since META was read. */
export async function setWaiting({ runId, segment, epoch }: Meta, ask: Ask): Promise<void> {
  const { seq, kind } = ask;
  await change(runId, 'SET #status = :waiting, #reason = :reason, #ask = :ask', {
    expression: `#segment = :segment AND #epoch = :epoch AND ${OPEN}`,
    names: { ...named('status', 'reason', 'segment', 'epoch'), '#ask': 'waiting' },
    values: { ':segment': segment, ':epoch': epoch, ':reason': `${kind}: ${ask.reason}`, ':ask': { seq, kind }, ...OPEN_VALUES },
  });
}

/**
 * Shows that a run waits for people and that no execution does: its code is gone, or has to be chosen first. An execution
 * that is there all the same stops at its next step, as one of an older segment.
 */
export async function setStranded({ runId, segment }: Meta, ask: Ask): Promise<void> {
  const { seq, kind } = ask;
  await change(runId, 'SET #segment = :next, #status = :waiting, #reason = :reason, #ask = :ask, #waitUntil = :zero', {
    expression: `#segment = :segment AND ${OPEN}`,
    names: { ...named('status', 'reason', 'segment', 'waitUntil'), '#ask': 'waiting' },
    values: {
      ':segment': segment,
      ':next': segment + 1,
      ':reason': `${kind}: ${ask.reason}`,
      ':ask': { seq, kind },
      ':zero': 0,
      ...OPEN_VALUES,
    },
  });
}

/** Pins a run to what its log says: what its segments run on is read from META. */
export async function setPin({ runId }: Meta, pin: Pin): Promise<Meta> {
  const item = await change(runId, 'SET #pin = :pin', {
    expression: 'attribute_exists(pk)',
    names: named('pin'),
    values: { ':pin': pin },
  });
  return item ? read(item) : mustRead(runId);
}

/** The same, and an execution that is at work on other code stops at its next step, as one of an older segment. */
export async function setPinAfter({ runId, segment }: Meta, pin: Pin): Promise<Meta> {
  const item = await change(runId, 'SET #pin = :pin, #segment = :next, #status = :running, #reason = :reason REMOVE #waiting', {
    expression: `#segment = :segment AND ${OPEN}`,
    names: named('pin', 'segment', 'status', 'reason', 'waiting'),
    values: { ':pin': pin, ':segment': segment, ':next': segment + 1, ':reason': 'repinned', ...OPEN_VALUES },
  });
  return item ? read(item) : setPin(await mustRead(runId), pin);
}

/** Says more about why a run waits. */
export async function setReason(runId: string, seq: number, reason: string): Promise<void> {
  await updateIf(keyOf(runId), 'SET #reason = :reason', {
    expression: '#ask.#seq = :seq AND #status = :waiting',
    names: { ...named('status', 'reason', 'seq'), '#ask': 'waiting' },
    values: { ':seq': seq, ':waiting': 'waiting', ':reason': reason.slice(0, 500) },
  });
}

/** Shows that an ask is answered; the run goes on. */
export async function setAnswered(runId: string, seq: number): Promise<void> {
  await change(runId, 'SET #status = :running, #reason = :reason REMOVE #ask', {
    expression: '#ask.#seq = :seq AND #status = :waiting',
    names: { ...named('status', 'reason', 'seq'), '#ask': 'waiting' },
    values: { ':seq': seq, ':running': 'running', ':waiting': 'waiting', ':reason': 'answered' },
  });
}

/**
 * Gives the run its end status. Returns false when messages arrived first, so that it has to go on: they are in the inbox, or
 * were struck from it since META was read, and are in the log by now.
 */
export async function finish({ runId, struck }: Meta, end: End, log: Log, removeAt?: number): Promise<boolean> {
  const removal = removeAt === undefined ? '' : ', #removeAt = :removeAt';
  const unread = end.status === 'completed' ? 'attribute_not_exists(#inbox) AND ' : '';
  const unstruck = struck === undefined ? 'attribute_not_exists(#struck) AND ' : '#struck = :struck AND ';
  const done = await updateIf(
    keyOf(runId),
    `SET #status = :status, #reason = :reason, #totals = :totals, #waitUntil = :zero, #seenAt = :now${removal} REMOVE #waiting`,
    {
      expression: unread + unstruck + OPEN,
      names: named(
        'status',
        'reason',
        'totals',
        'waitUntil',
        'seenAt',
        'waiting',
        'struck',
        ...(unread ? ['inbox'] : []),
        ...(removal ? ['removeAt'] : []),
      ),
      values: {
        ':status': end.status,
        ':reason': end.reason,
        ':totals': totalsOf(log),
        ':zero': 0,
        ':now': Date.now(),
        ...OPEN_VALUES,
        ...(removal ? { ':removeAt': removeAt } : {}),
        ...(struck === undefined ? {} : { ':struck': struck }),
      },
    },
  );
  return done !== undefined || isEnded(await mustRead(runId));
}

/** Tells whether a run is over: no step will run unless a message opens it again. */
export const isEnded = ({ status }: Meta): boolean => !UNFINISHED.includes(status);

/** Notes an inbox message, by id; noting it again changes nothing. */
export async function noteMessage(runId: string, id: string): Promise<Meta> {
  const item = await change(runId, 'ADD #inbox :ids', {
    expression: 'attribute_exists(pk)',
    names: named('inbox'),
    values: { ':ids': new Set([id]) },
  });
  return item ? read(item) : mustRead(runId);
}

/** Strikes inbox messages that are in the log, and counts that it did. */
export async function strikeMessages(runId: string, ids: Iterable<string>): Promise<void> {
  await change(runId, 'DELETE #inbox :ids ADD #struck :one', {
    expression: 'attribute_exists(pk)',
    names: named('inbox', 'struck'),
    values: { ':ids': new Set(ids), ':one': 1 },
  });
}

/** Asks for a run to be cancelled, to start it over as the run `restart` or for good; the first to ask is kept. Returns undefined when the run is over. */
export async function requestCancel(runId: string, by: string, restart?: string): Promise<Meta | undefined> {
  const item = await change(runId, 'SET #cancel = if_not_exists(#cancel, :cancel)', {
    expression: OPEN,
    names: named('cancel', 'status'),
    values: { ':cancel': { at: Date.now(), by, restart }, ...OPEN_VALUES },
  });
  return item && read(item);
}

/** Notes the run that starts this one over; from then on no message opens this one again. */
export async function noteRestart(runId: string, child: string): Promise<Meta> {
  const item = await change(runId, 'SET #restartedAs = :child ADD #children :children', {
    expression: 'attribute_exists(pk)',
    names: named('restartedAs', 'children'),
    values: { ':child': child, ':children': new Set([child]) },
  });
  return item ? read(item) : mustRead(runId);
}

/** Notes a run that branches off from this one, which must be over. Returns undefined when it is not. */
export async function noteFork(runId: string, child: string): Promise<Meta | undefined> {
  const item = await change(runId, 'ADD #children :children', {
    expression: `NOT (${OPEN})`,
    names: named('children', 'status'),
    values: { ':children': new Set([child]), ...OPEN_VALUES },
  });
  return item && read(item);
}

/** Makes a segment the run's current one, which fences those before. */
export async function takeOver(runId: string, segment: number): Promise<void> {
  await change(runId, 'SET #segment = :segment', {
    expression: '#segment < :segment',
    names: named('segment'),
    values: { ':segment': segment },
  });
}

/** Vouches that every invocation so far is over. */
export async function vouchOver(runId: string): Promise<void> {
  await change(runId, 'SET #overThrough = #epoch', { expression: 'attribute_exists(pk)', names: named('overThrough', 'epoch') });
}

/** Counts a segment that the platform lost. */
export async function countRecovery(runId: string): Promise<void> {
  await change(runId, 'ADD #recoveries :one', { expression: 'attribute_exists(pk)', names: named('recoveries'), values: { ':one': 1 } });
}

/** Shows that a run that has ended goes on with messages; with `unread`, only while that message is not in the log yet. */
export async function setReopened(runId: string, unread?: string): Promise<boolean> {
  const item = await change(runId, 'SET #status = :running, #reason = :reason REMOVE #removeAt', {
    expression: `#status IN (:completed, :failed) AND attribute_not_exists(#restartedAs)${unread === undefined ? '' : ' AND contains(#inbox, :unread)'}`,
    names: named('status', 'reason', 'restartedAs', 'removeAt', ...(unread === undefined ? [] : ['inbox'])),
    values: {
      ':running': 'running',
      ':completed': 'completed',
      ':failed': 'failed',
      ':reason': 'a message came',
      ...(unread === undefined ? {} : { ':unread': unread }),
    },
  });
  return item !== undefined;
}

/** Shows that the platform cannot get a run going; a person resumes it. */
export async function setInterrupted({ runId, segment }: Meta, reason: string): Promise<void> {
  const set = await change(runId, 'SET #status = :interrupted, #reason = :reason', {
    expression: `#segment = :segment AND ${OPEN}`,
    names: named('status', 'reason', 'segment'),
    values: { ':segment': segment, ':reason': reason, ...OPEN_VALUES },
  });
  if (set) measure({ RunsInterrupted: 1 }, { runId, message: `Interrupted: ${reason}` });
}
