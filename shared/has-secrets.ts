import type { Log } from './log.ts';
import { runningFold } from './running-fold.ts';

/** Tells whether any call of a log has, or had, secrets. */
export const hasSecrets = (log: Log): boolean => found(log).some;

const found = runningFold(
  () => ({ some: false }),
  (fold, record) => {
    const marked = record.type === 'reply' ? record.calls : record.type === 'answer' ? record.answers.map(({ edit }) => edit) : [];
    if (marked.some((each) => each?.secrets)) fold.some = true;
  },
);
