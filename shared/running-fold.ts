import type { RunRecord } from './record.ts';

/**
 * Makes a question that a fold over a log answers. How far it got is kept beside the log, and a log only ever grows, so each
 * record is looked at once however often the question is asked. The answer goes on growing with the log: do not keep it.
 */
export function runningFold<S>(
  start: () => S,
  add: (state: S, record: RunRecord, log: readonly RunRecord[]) => void,
): (log: readonly RunRecord[]) => S {
  const kept = new WeakMap<readonly RunRecord[], { state: S; length: number }>();
  return (log) => {
    const fold = kept.get(log) ?? { state: start(), length: 0 };
    kept.set(log, fold);
    for (; fold.length < log.length; fold.length++) add(fold.state, log[fold.length] as RunRecord, log);
    return fold.state;
  };
}
