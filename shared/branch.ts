import type { RunRecord } from './record.ts';

/** Where the log of a fork begins to be its own. */
export interface Branch {
  /** The last record that it shares. */
  readonly at: number;
  /** When the fork was made, ms since the epoch. */
  readonly since: number;
}

type Log = readonly RunRecord[];

const branches = new WeakMap<Log, readonly Branch[]>();

/** The branches on the way to the end of a log, oldest first. */
const branchesOf = (log: Log): readonly Branch[] => branches.get(log) ?? [];

/**
 * Begins the log of a fork: the records that it shares with its parent's. Records are the same in every log that shares them,
 * so where it branches off is kept beside it.
 */
export function branchOff(parent: Log, branch: Branch): RunRecord[] {
  const shared = parent.slice(0, branch.at);
  branches.set(shared, [...branchesOf(parent).filter(({ at }) => at <= branch.at), branch]);
  return shared;
}

/** How many records of a log are shared ones; 0 for one that is all of one run. */
export const sharedIn = (log: Log): number => branchesOf(log).at(-1)?.at ?? 0;

/** From when on what follows a record counts, ms since the epoch: what lies between it and a fork after it is nobody's time. */
export const begunAfter = (log: Log, { seq, at }: Pick<RunRecord, 'seq' | 'at'>): number =>
  Math.max(at, ...branchesOf(log).flatMap((branch) => (branch.at === seq ? branch.since : [])));
