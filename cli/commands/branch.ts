import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import type { RunSummary } from '../../shared/api.ts';
import { action, type Context } from '../action.ts';
import { EXIT, printJson, printLines } from '../output.ts';
import { actor, findRun, type Session } from '../session.ts';
import { branchText } from '../status.ts';

interface ForkOptions {
  readonly at: number;
  readonly message?: string;
  readonly by?: string;
  readonly key?: string;
}

/** Adds `restart` and `fork`: a new run that goes on from what another did. */
export function addBranches(program: Command, context: Context): void {
  program
    .command('restart')
    .description('start a run over, as a new run that knows what was done; an unfinished one is cancelled')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .option('--by <name>', 'who does it, for the log (default: your account)')
    .action(
      action<[string], { by?: string }>(context, async (session, { by = actor() }, text) =>
        told(session, (await session.client().restart(await findRun(session, text), by)).run),
      ),
    );
  program
    .command('fork')
    .description('branch a run off after a record of another that is over, for another try')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .requiredOption('--at <seq>', 'the last record that the new run shares', seqOf)
    .option('--message <text>', 'what the new run is told next')
    .option('--by <name>', 'who does it, for the log (default: your account)')
    .option('--key <key>', 'idempotency key: the same key makes the same new run once (default: a new one)')
    .action(
      action<[string], ForkOptions>(context, async (session, { at, message, by = actor(), key = randomUUID() }, text) => {
        const request = { at, by, ...(message === undefined ? {} : { message }) };
        return told(session, (await session.client().fork(await findRun(session, text), request, key)).run);
      }),
    );
}

function told(session: Session, run: RunSummary): number {
  if (session.json) printJson(session.terminal, { run });
  else printLines(session.terminal, [`${run.runId} ${branchText(run) ?? ''}`.trim(), `follow it with: npx holdfast watch ${run.runId}`]);
  return EXIT.ok;
}

function seqOf(text: string): number {
  const seq = Number(text);
  if (!Number.isInteger(seq) || seq < 1) throw new InvalidArgumentError('It must be the number of a record.');
  return seq;
}
