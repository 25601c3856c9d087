import { decodeTime } from 'ulid';
import { ProblemError } from '../../shared/errors.ts';
import type { Meta } from '../../shared/meta.ts';
import { logLine } from './invocation.ts';
import { mustRead, readMeta } from './meta-store.ts';
import { purge } from './purge.ts';
import { dropRemoval, dueRemovals, planRemoval, type Removal } from './removals.ts';
import { sentenceOf } from './sentence.ts';
import { bury, LATE_MS } from './tombstone.ts';

/**
 * Erases a run that is over, as far as it comes until a time, ms since the epoch; done again, it goes on. Nothing of it
 * needs the run's agent. Tells whether everything is removed. Throws a 409 problem when the run is not over, or others need it.
 */
export async function eraseRun(meta: Meta, by: string, until: number): Promise<boolean> {
  if (meta.status !== 'erased') {
    await assertUnshared(meta);
    if (!(await bury(meta, by, Date.now())) && (await mustRead(meta.runId)).status !== 'erased') throw notOver(await mustRead(meta.runId));
    await freeParent(meta);
  }
  return purge(await mustRead(meta.runId), until, false);
}

/** A run that was named by the one it comes from is there after this, ms, or never will be. */
const BEGINNING_MS = 3_600_000;

/** Names the runs that need another: those that branched off from it read its records, and those that started it over ask what it did. */
async function neededBy({ children = new Set() }: Meta): Promise<string[]> {
  const read = await Promise.all([...children].map((child) => readMeta(child)));
  return [...children].filter((child, i) => (read[i] ? read[i].status !== 'erased' : decodeTime(child) > Date.now() - BEGINNING_MS));
}

async function assertUnshared(meta: Meta): Promise<void> {
  const { runId } = meta;
  const kept = await neededBy(meta);
  if (kept.length === 0) return;
  throw new ProblemError(409, 'Run is shared', `Run "${runId}" is needed by those that came of it: ${kept.join(', ')}; erase them first`);
}

const notOver = ({ runId, status }: Meta) =>
  new ProblemError(409, 'Run is not over', `Run "${runId}" is ${status}; cancel it first, or erase it with "cancel"`);

/** Removals that one sweep takes up. */
const MOST = 20;

/** Goes on with what is due until a time, ms since the epoch: erasures that were cut off, what came late, and runs kept long enough. Returns the runs that were erased. */
export async function removeDue(until: number): Promise<string[]> {
  const removed: string[] = [];
  for (const removal of await dueRemovals(Date.now(), MOST)) {
    if (Date.now() > until) break;
    if (await takeUp(removal, until).catch(failed(removal))) removed.push(removal.runId);
  }
  return removed;
}

/** What fails for one holds up no other, and is tried again by the next sweep. */
const failed =
  ({ runId }: Removal) =>
  (error: unknown) =>
    logLine(runId, `Cannot remove this run: ${sentenceOf(error)}`);

/** Tells whether the run is erased. */
async function takeUp(removal: Removal, until: number): Promise<boolean> {
  const meta = await readMeta(removal.runId);
  const done = !meta || (meta.status === 'erased' ? await goOn(meta, until) : await removeKept(meta, removal, until));
  if (done) await dropRemoval(removal);
  return meta !== undefined && (await readMeta(removal.runId))?.status === 'erased';
}

const goOn = (meta: Meta, until: number): Promise<boolean> => purge(meta, until, Date.now() >= (meta.erased?.at ?? 0) + LATE_MS);

/** Between two looks at a run that was kept long enough and is needed by others, ms. */
const NEEDED_MS = 3_600_000;

/** A run that was told of again meanwhile has a later time, or none; one that others need is kept until they are erased. */
async function removeKept(meta: Meta, { runId, due }: Removal, until: number): Promise<boolean> {
  const isDue = meta.removeAt !== undefined && Math.round(meta.removeAt) <= due;
  if (!isDue) return true;
  if ((await neededBy(meta)).length > 0) {
    await planRemoval({ runId, due: Date.now() + NEEDED_MS });
    return true;
  }
  if (!(await bury(meta, 'retention', Date.now(), meta.removeAt))) return true;
  await freeParent(meta);
  await purge(await mustRead(runId), until, false);
  return true;
}

/** The run that an erased one came from may have been kept for it alone: the sweep looks at it again. */
async function freeParent({ parent }: Meta): Promise<void> {
  if (parent) await planRemoval({ runId: parent.runId, due: Date.now() });
}
