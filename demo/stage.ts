import type { Client } from '../cli/client.ts';
import { type FollowSettings, follow } from '../cli/follow.ts';
import { type Paint, paintFor } from '../cli/output.ts';
import { processTerminal } from '../cli/process-terminal.ts';
import { recordLines } from '../cli/timeline.ts';
import type { RunSummary } from '../shared/api.ts';
import type { RunRecord } from '../shared/record.ts';
import { type HostProcess, startHostProcess } from './host-process.ts';
import type { Provider } from './provider.ts';

/** Where a story plays: a service that can be killed, a provider that cannot, and a list of what was checked. */
export interface Stage {
  readonly provider: Provider;
  readonly paint: Paint;
  /** The service that runs now. */
  readonly host: () => HostProcess;
  readonly restart: () => Promise<void>;
  readonly say: (text: string) => void;
  readonly check: (sentence: string, holds: boolean) => void;
  readonly failures: readonly string[];
}

/** Starts the service and sets the stage. */
export async function setStage(dataDir: string, provider: Provider): Promise<Stage> {
  const start = () => startHostProcess(dataDir, { PAYMENT_PROVIDER_URL: provider.url, HOLDFAST_MODEL: 'scripted/demo' });
  let host = await start();
  const failures: string[] = [];
  const paint = paintFor(processTerminal());
  return {
    provider,
    paint,
    host: () => host,
    restart: async () => {
      host = await start();
    },
    say: (text) => console.log(`\n${paint('bold', `>> ${text}`)}`),
    check: (sentence, holds) => {
      if (!holds) failures.push(sentence);
      console.log(holds ? paint('green', `   ✓ ${sentence}`) : paint('red', `   ✗ NOT SO: ${sentence}`));
    },
    failures,
  };
}

/** What became of a run: its last summary, and its whole log. */
export interface Told {
  readonly run: RunSummary;
  readonly log: readonly RunRecord[];
}

/** Follows a run to its end, through crashes; with `show`, on the screen. */
export async function followRun(stage: Stage, runId: string, show: boolean): Promise<Told> {
  const log: RunRecord[] = [];
  const settings: FollowSettings = { client: (): Client => stage.host().client, runId, stay: true, patienceSeconds: 30 };
  const width = processTerminal().columns;
  const run = await follow(settings, {
    record: (record, before) => {
      log.push(record);
      if (show) console.log(recordLines(record, before, { runId, paint: stage.paint, width }).join('\n'));
    },
  });
  return { run, log };
}
