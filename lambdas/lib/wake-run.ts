import type { Log } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import type { Ask } from '../../shared/record.ts';
import { answersOf } from '../../shared/standing.ts';
import { metByPolicy } from './adopt.ts';
import { goOn, goOnByLog } from './go-on.ts';
import { readLog } from './log-store.ts';
import { mustRead } from './meta-store.ts';
import { restartRun } from './restart.ts';
import { wakeAsk } from './waits.ts';

/** Lets a run go on whose ask is answered: on the code that it is pinned to, or on what the answer says. */
export async function wakeRun(runId: string, ask: Ask): Promise<void> {
  const meta = await mustRead(runId);
  if (ask.kind !== 'restart' && (meta.policy.onDrift ?? 'stay') === 'stay') return void (await wakeAsk(runId, ask.seq));
  const restarter = await restarterOf(runId, ask);
  if (restarter !== undefined) return void (await restartRun(meta, restarter));
  // Who comes later than others changes nothing.
  if (!isLast(await readLog(runId), ask)) return;
  if (ask.kind !== 'restart') return wakeUnderPolicy(meta, ask);
  if (!(await wakeAsk(runId, ask.seq))) await goOnByLog(meta);
}

/** Who answered that the run is to be started over. */
async function restarterOf(runId: string, ask: Ask): Promise<string | undefined> {
  if (ask.kind !== 'restart') return undefined;
  return answersOf(await readLog(runId), ask).find(({ answers }) => answers.some(({ decision }) => decision === 'restart'))?.by;
}

/** Whether nothing has come after the answers to an ask. */
function isLast(log: Log, { seq }: Ask): boolean {
  const last = log.at(-1);
  return last?.seq === seq || (last?.type === 'answer' && last.ask === seq);
}

/** Where the run is given to other code, or somebody is asked about that, what waits ends as the segment before. */
async function wakeUnderPolicy(meta: Meta, ask: Ask): Promise<void> {
  const now = await metByPolicy(meta);
  if (now && now !== meta) await goOn(now);
  await wakeAsk(meta.runId, ask.seq);
}

/** Lets a run go on whose ask is not answered: it is too late, or the run was cancelled. */
export async function wakeToEnd(meta: Meta, ask: Ask): Promise<void> {
  if (!(await wakeAsk(meta.runId, ask.seq)) && ask.kind === 'restart') await goOn(meta);
}
