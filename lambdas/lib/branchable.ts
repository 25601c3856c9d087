import { ProblemError } from '../../shared/errors.ts';
import type { Meta } from '../../shared/meta.ts';

/** Tells whether other runs may go on from a run: its records are there, and not only to be looked at. */
export const isBranchable = ({ status }: Pick<Meta, 'status'>): boolean => status !== 'erased' && status !== 'imported';

/** The problem of a request that another run go on from one whose records are gone, or only here to be looked at. */
export const cannotGoOn = ({ runId, status }: Pick<Meta, 'runId' | 'status'>): ProblemError =>
  new ProblemError(409, 'Run cannot go on', `Run "${runId}" was ${status}: no other run can go on from it`);
