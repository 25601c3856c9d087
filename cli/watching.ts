import type { RunSummary } from '../shared/api.ts';
import { type Follower, follow } from './follow.ts';
import { EXIT, printJsonLine, printLines } from './output.ts';
import type { Session } from './session.ts';
import { answerHint, costText, delayLine, statusWord } from './status.ts';
import { recordLines } from './timeline.ts';

/** How a run is watched. */
export interface WatchOptions {
  /** Go on watching while the run waits for an answer: by default where a person looks. */
  readonly stay?: boolean;
  /** How long a lost service is looked for, s. */
  readonly patience?: number;
}

/** Shows a run as it happens until it ends, or waits and nobody stays. Returns the exit code. */
export async function watchRun(session: Session, runId: string, options: WatchOptions): Promise<number> {
  const settings = {
    client: session.client,
    runId,
    stay: options.stay ?? session.terminal.tty,
    patienceSeconds: options.patience ?? 60,
  };
  const run = await follow(settings, session.json ? jsonFollower(session) : lineFollower(session, runId, settings.stay));
  if (session.json) printJsonLine(session.terminal, { run });
  else printLines(session.terminal, lastLines(run, session));
  return exitCodeOf(run);
}

/** 0 when the run completed or is only to be looked at, 1 when it failed, was cancelled or erased, 4 when it needs somebody. */
export function exitCodeOf({ status }: RunSummary): number {
  if (status === 'completed' || status === 'imported') return EXIT.ok;
  return status === 'failed' || status === 'cancelled' || status === 'erased' ? EXIT.failed : EXIT.waiting;
}

function lastLines(run: RunSummary, { paint }: Session): string[] {
  const { turns, inputTokens, outputTokens } = run.totals;
  const sums = paint('dim', `${run.runId}: ${turns} turns, ${inputTokens} in, ${outputTokens} out tokens, ${costText(run)}`);
  if (run.status === 'waiting') return [`${statusWord(run.status, paint)}: the run goes on when it is answered`, ...answerHint(run), sums];
  if (run.status === 'interrupted') return [`${statusWord(run.status, paint)}: go on with npx holdfast resume ${run.runId}`, sums];
  return [sums];
}

const jsonFollower = ({ terminal }: Session): Follower => ({ record: (record) => printJsonLine(terminal, { record }) });

/** Prints the lines of records, and between them whatever keeps the run, each delay once. */
export function lineFollower({ terminal, paint }: Pick<Session, 'terminal' | 'paint'>, runId: string, stay: boolean): Follower {
  let said = '';
  const sayOnce = (key: string, lines: readonly string[]) => {
    if (key !== said) printLines(terminal, lines);
    said = key;
  };
  return {
    record: (record, log) => printLines(terminal, recordLines(record, log, { runId, paint, width: terminal.columns })),
    run: (run) => {
      if (stay && run.ask)
        return sayOnce(
          run.ask.id,
          answerHint(run).map((line) => paint('yellow', line)),
        );
      const delay = delayLine(run, Date.now());
      sayOnce(
        delay ? `${run.status} ${run.step} ${run.attempts} ${run.waitUntil}` : '',
        delay ? [paint('yellow', `          … ${delay}`)] : [],
      );
    },
    lost: (reason) => terminal.err(`${reason === undefined ? 'the service is there again' : `${reason} Looking for it …`}\n`),
  };
}
