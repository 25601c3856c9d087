import type { Command } from 'commander';
import type { RunSummary } from '../../shared/api.ts';
import { action, type Context } from '../action.ts';
import { oneLine } from '../clean.ts';
import { EXIT, printJson, printLines } from '../output.ts';
import { actor, findRun, type Session } from '../session.ts';
import { erasedLines } from '../status.ts';

interface Options {
  readonly by?: string;
  readonly cancel?: boolean;
}

/** Adds `erase`. */
export function addErase(program: Command, context: Context): void {
  program
    .command('erase')
    .description('remove what a run was, for good; a tombstone stays, and what guards against repeats')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .option('--cancel', 'cancel it first if it is not over')
    .option('--by <name>', 'who does it, for the tombstone (default: your account)')
    .action(
      action<[string], Options>(context, async (session, { by = actor(), cancel = false }, text) => {
        const run = await untilDone(session, await findRun(session, text), by, cancel);
        if (session.json) printJson(session.terminal, { run });
        else printLines(session.terminal, erasedLines(run));
        return EXIT.ok;
      }),
    );
}

/** Between two requests about a run whose step is still at work, ms. */
const PAUSE_MS = 2_000;

/** One request removes as much as it has time for; it is sent until nothing is left. */
async function untilDone({ client, terminal }: Session, runId: string, by: string, cancel: boolean): Promise<RunSummary> {
  let said = '';
  for (;;) {
    const { run, done } = await client().erase(runId, by, cancel);
    if (done) return run;
    const state = run.erased ? 'being erased' : `${run.status} (${oneLine(run.reason, 200)}); it is erased when the step at work ends`;
    if (state !== said) terminal.err(`${runId} is ${state}\n`);
    said = state;
    if (!run.erased) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
