import type { Findings } from './campaign.ts';
import { killsIn } from './killer.ts';
import type { Options } from './options.ts';
import type { Played } from './play.ts';

/** What is wrong with a run, each with its name. */
export const faultsIn = ({ job, runId, lost, outputs, rows, duplicates, log }: Played): string[] =>
  [...lost, ...outputs, ...rows, ...duplicates.map((key) => `effect ${key} was made more than once`), ...log].map(
    (fault) => `${job.set} ${job.task.task} (${job.mode}), run ${runId}: ${fault}`,
  );

/** Tells whether nothing is wrong. */
export const isSound = ({ played, faults }: Findings): boolean => faults.length === 0 && played.every((one) => faultsIn(one).length === 0);

/** The findings in lines to print, without the faults of single runs. */
export function linesOf({ tasks, played, kills, seconds, faults }: Findings, { seed, modes }: Options): string[] {
  const count = (of: (one: Played) => number) => played.reduce((sum, one) => sum + of(one), 0);
  const completed = count(({ lost }) => (lost.length === 0 ? 1 : 0));
  const calls = count(({ job }) => job.task.calls.length);
  return [
    `seed        ${seed}, shop ${modes.join(', ')}`,
    `tasks       ${tasks}; ${played.length} runs, ${completed} completed, ${calls} calls`,
    `kills       ${killsIn(kills)}${[...kills].map(([name, times]) => `, ${name} ${times}`).join('')}`,
    `time        ${seconds.toFixed(1)} s; ${slowest(played)}`,
    `segments    ${count(({ segments }) => segments)}`,
    `asked       ${talliedBy(played.flatMap(({ asked }) => asked))}`,
    `recognised  ${count(({ deduped }) => deduped)} effects by their key, ${count(({ found }) => found)} by asking the shop`,
    `reused      ${count(({ reused }) => reused)} effects of runs that were started over`,
    `taken       ${count(({ taken }) => taken)} calls after a restart that were refused before it: rows not compared`,
    `duplicates  ${count(({ duplicates }) => duplicates.length)}`,
    `wrong rows  ${count(({ rows }) => rows.length)}`,
    `wrong calls ${count(({ outputs }) => outputs.length)}`,
    `bad logs    ${count(({ log }) => log.length)}`,
    `lost runs   ${played.length - completed}`,
    ...faults.map((fault) => `FAULT ${fault}`),
  ];
}

function slowest(played: readonly Played[]): string {
  const times = played.map(({ ms }) => ms / 1000).sort((a, b) => a - b);
  const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1);
  return `a run took ${at(0.5)} s in the middle, ${at(0.99)} s at the 99th percentile, ${at(1)} s at most`;
}

function talliedBy(asked: readonly string[]): string {
  const groups = Object.entries(Object.groupBy(asked, (what) => what));
  return `${asked.length}${groups.map(([what, all]) => `; ${all?.length} ${what}`).join('')}`;
}
