import { setTimeout } from 'node:timers/promises';
import type { RunSummary } from '../../shared/api.ts';
import type { Api } from './api.ts';

/** Looks at many runs with few requests. */
export interface Watcher {
  /** How a run is, seen after this call. */
  look(runId: string): Promise<RunSummary>;
}

/** The least time between two looks, ms. */
const LOOK_MS = 80;

/** Makes a watcher: those that are running are seen in one list, and only the others one by one. */
export function watcherOf(api: Api): Watcher {
  let wanted: { runId: string; tell: (run: RunSummary | Promise<RunSummary>) => void }[] = [];
  let looking = false;

  async function lookAround(): Promise<void> {
    looking = true;
    while (wanted.length > 0) {
      await setTimeout(LOOK_MS);
      const asked = wanted;
      wanted = [];
      const running = new Map((await api.running()).map((run) => [run.runId, run]));
      for (const { runId, tell } of asked) tell(running.get(runId) ?? api.show(runId));
    }
    looking = false;
  }

  return {
    look: (runId) =>
      new Promise((tell, fail) => {
        wanted.push({ runId, tell });
        if (!looking) lookAround().catch(fail);
      }),
  };
}
