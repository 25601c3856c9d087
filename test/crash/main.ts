import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { STORIES, type Story } from '../runs/stories.ts';
import { type Lane, playCrashed, playUncrashed, type Setting, settingOf, startLane, type Verdict } from './lane.ts';
import type { When } from './striker.ts';

/**
 * Crashes every story at every operation that any function makes: the process is killed before the operation takes
 * effect, and once more after it. `--share 0.2 --seed 7` plays a seeded slice; `--story <part of a name>` some stories.
 */
const { values } = parseArgs({
  options: {
    share: { type: 'string' },
    seed: { type: 'string' },
    story: { type: 'string' },
    lane: { type: 'string' },
    lanes: { type: 'string' },
  },
});
const share = Number(values.share ?? 1);
const seed = Number(values.seed ?? 1);
const lanes = Number(values.lanes ?? Math.max(2, availableParallelism()));

interface Machine {
  lane(): Promise<Lane>;
  stop(): Promise<void>;
}

interface Report {
  readonly story: string;
  readonly points: number;
  readonly asked: number;
  readonly bad: Verdict[];
}

if (values.lane === undefined) await lead();
else await follow(Number(values.lane));

/** Plays this lane's share of every story and reports each. */
async function follow(lane: number): Promise<void> {
  const stories = STORIES.filter(({ name }) => name.includes(values.story ?? ''));
  for (const alike of Map.groupBy(stories, (story) => JSON.stringify(settingOf(story))).values()) {
    const machine = machineFor(settingOf(alike[0] as Story));
    for (const story of alike) process.send?.(await crash(machine, story, lane));
    await machine.stop();
  }
  process.disconnect();
}

/** The machine that a lane's plays share, until one of them is stuck on it: the next play has another. */
function machineFor(setting: Setting): Machine {
  let lane: Lane | undefined;
  return {
    lane: async () => (lane ??= await startLane(setting)),
    stop: async () => {
      await lane?.stop();
      lane = undefined;
    },
  };
}

async function crash(machine: Machine, story: Story, lane: number): Promise<Report> {
  const whole = await machine.lane();
  const { played, operations, verdict } = await playUncrashed(whole, story);
  // Every story writes records: a machine whose operations are not seen would pass without a single crash.
  if (!whole.striker.seen.some((name) => name.endsWith('PutItem')))
    throw new Error(`Cannot crash "${story.name}": its operations were not seen`);
  const all = Array.from({ length: operations * 2 }, (_, i) => ({ at: i >> 1, when: (i % 2 ? 'after' : 'before') as When }));
  const mine = all.filter((_, i) => chosen(`${story.name} ${i}`) && i % lanes === lane);
  const verdicts = [verdict];
  for (const { at, when } of mine) {
    const crashed = await playCrashed(await machine.lane(), story, played, at, when);
    verdicts.push(crashed);
    // What is still at work would be counted in the next play.
    if (crashed.stuck) await machine.stop();
  }
  const bad = verdicts.filter(({ duplicates, losses }) => duplicates.length + losses.length > 0);
  return { story: story.name, points: mine.length, asked: verdicts.reduce((sum, { asked }) => sum + asked, 0), bad };
}

/** Whether a point is in the slice: a hash of its name and the seed, as a share of one. */
function chosen(name: string): boolean {
  const hash = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE();
  return hash / 2 ** 32 < share;
}

async function lead(): Promise<void> {
  console.log(`Crash at every point: share ${share}, seed ${seed}, ${lanes} lanes`);
  const reports: Report[] = [];
  const ends = Array.from({ length: lanes }, (_, lane) => runLane(lane, (report) => tell(report, reports)));
  const codes = await Promise.all(ends);
  const bad = reports.flatMap((report) => report.bad);
  for (const { name } of STORIES) print(name, reports);
  for (const { story, point, duplicates, losses } of bad)
    console.log(`\n${story}, killed at ${point}:\n  ${[...duplicates, ...losses].join('\n  ')}`);
  const count = (of: (report: Report) => number) => reports.reduce((sum, report) => sum + of(report), 0);
  const duplicates = bad.filter((verdict) => verdict.duplicates.length > 0).length;
  const losses = bad.filter((verdict) => verdict.losses.length > 0).length;
  console.log(
    `\n${count(({ points }) => points)} points tried, ${duplicates} duplicates, ${losses} losses, ${count(({ asked }) => asked)} open outcomes asked about`,
  );
  process.exitCode = bad.length > 0 || codes.some((code) => code !== 0) || reports.length === 0 ? 1 : 0;
}

function tell(report: Report, reports: Report[]): void {
  reports.push(report);
  console.error(`  ${report.story}: ${report.points} points`);
  for (const { point, duplicates, losses } of report.bad)
    console.error(`        FAULT at ${point}: ${[...duplicates, ...losses].join('; ')}`);
}

function runLane(lane: number, onReport: (report: Report) => void): Promise<number | null> {
  const child = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), `--lane=${lane}`, `--lanes=${lanes}`]);
  child.on('message', (report) => onReport(report as Report));
  return new Promise((resolve) => child.once('exit', resolve));
}

function print(story: string, reports: Report[]): void {
  const mine = reports.filter((report) => report.story === story);
  const points = mine.reduce((sum, report) => sum + report.points, 0);
  const bad = mine.reduce((sum, report) => sum + report.bad.length, 0);
  if (mine.length > 0) console.log(`${bad === 0 ? 'ok  ' : 'FAIL'} ${String(points).padStart(4)} points  ${story}`);
}
