import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { STORIES } from '../runs/stories.ts';
import { synthesize } from './assembly.ts';
import { runChecks } from './check.ts';
import { COMMAND_CHECKS } from './command.ts';
import { costCheck } from './costs.ts';
import { deployTwice } from './deployments.ts';
import { type Finding, isWell, tableOf, totalOf } from './finding.ts';
import { LINK_CHECKS } from './links.ts';
import { readOptions } from './options.ts';
import { PLATFORM_CHECKS } from './platform.ts';
import { recoveryChecks } from './recovery.ts';
import { serveShop } from './shop.ts';
import { type Stage, startStage } from './stage.ts';
import { STORED_CHECKS } from './stored.ts';
import { playLocally, playStories } from './stories.ts';
import { FAILURES, INVOKE_FAILURES, KILLS } from './strike.ts';
import { type Campaign, strikeStories } from './strikes.ts';
import { sweepChecks } from './sweeps.ts';

/**
 * The stack as it is deployed, on an AWS that is not ours: the stories of the tests, with processes killed and services
 * failing at every call, and what only the platform can show. `--sim FOLDER [--share 0.2 --seed 7] [--section <part of a
 * name>] [--story <part of a name>] [--turns 500] [--data FOLDER --tasks 50 --kills 50]`
 */
const options = readOptions(process.argv.slice(2));

const WRITES = ['an idempotent write', 'a reconcile write', 'a once write', 'consent by a mailed link'];
const ASKS = ['a write that two people consent to', 'calls whose results come later'];
// A mail that failed is tried again after a minute: that is tried by itself, with the sweep.
const MANY_CALLS = ['an approved write', 'reads and writes in one reply'];
const LONG_LIVES = ['a summary in between', 'a result of many megabytes', 'a tool returns pictures', 'files from people'];
const LINEAGES = ['restarted after writes that are done', 'a restart that is restarted', 'forked in an open turn', 'a fork of a fork'];
const STEERED = ['a model that is retired', 'a budget is reached and raised', 'a call with a secret', 'erased while it waits'];
const CAMPAIGNS: readonly Campaign[] = [
  { section: 'killed', stories: WRITES, callers: ['tool-step', 'ask', 'answer', 'ask-page'], faults: KILLS },
  { section: 'killed', stories: ASKS, callers: ['ask', 'answer', 'callback'], faults: KILLS },
  { section: 'killed', stories: ['several segments'], callers: ['recover'], faults: KILLS, smallSegments: true },
  {
    section: 'killed',
    stories: [...LONG_LIVES, ...LINEAGES],
    callers: ['start-run', 'model-step', 'tool-step', 'steer-run'],
    faults: KILLS,
  },
  { section: 'killed', stories: STEERED, callers: ['model-step', 'ask', 'answer', 'steer-run', 'erase-run'], faults: KILLS },
  {
    section: 'failing services',
    stories: ['a summary in between', 'a result of many megabytes', 'restarted after writes that are done', 'erased while it waits'],
    callers: ['start-run', 'model-step', 'tool-step', 'steer-run', 'erase-run'],
    faults: FAILURES,
  },
  {
    section: 'failing services',
    stories: MANY_CALLS,
    callers: ['start-run', 'model-step', 'tool-step', 'ask', 'answer', 'ask-page'],
    faults: FAILURES,
  },
  { section: 'failing invocations', stories: MANY_CALLS, callers: ['states'], faults: INVOKE_FAILURES },
];

const folder = mkdtempSync(join(tmpdir(), 'holdfast-acceptance-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
// What was started ends with this process, and it does not do so by a signal that nobody hears.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const begun = Date.now();
const findings: Finding[] = [];
const stories = STORIES.filter(({ name }) => name.includes(options.story));
const agents = fileURLToPath(new URL('./agents.ts', import.meta.url));
const [baselines] = await Promise.all([playLocally(stories), synthesize(agents, folder)]);
await Promise.all([true, false].map(lane));
if (isWanted('deployments')) tell(await deployTwice(folder, options.simulator));
if (isWanted('the shop') && options.tasks > 0) tell(await serveShop(options, folder));
for (const line of tableOf(findings)) console.log(line);
console.log(`\n${totalOf(findings)}, ${seconds()} s, seed ${options.seed}`);
process.exitCode = isWell(findings) ? 0 : 1;

/** Both lanes play every story; what can fail is tried on one of them. */
async function lane(smallSegments: boolean): Promise<void> {
  const stage = await startStage(options.simulator, folder, smallSegments);
  try {
    for await (const finding of tried(stage)) tell(finding);
  } finally {
    await stage.stop();
  }
}

async function* tried(stage: Stage): AsyncGenerator<Finding> {
  const { slice, turns } = options;
  if (isWanted('stories')) yield* playStories(stage, baselines);
  for (const campaign of CAMPAIGNS.filter(({ section }) => isWanted(section))) yield* strikeStories(stage, campaign, baselines, slice);
  const own = stage.smallSegments
    ? [...recoveryChecks(baselines, slice), ...LINK_CHECKS, ...COMMAND_CHECKS]
    : [...(turns > 0 ? [costCheck(turns)] : []), ...sweepChecks(baselines, slice), ...STORED_CHECKS];
  const checks = [...own, ...PLATFORM_CHECKS].filter(({ section }) => isWanted(section));
  yield* runChecks(stage, checks);
}

function tell(finding: Finding): void {
  findings.push(finding);
  console.error(`  ${seconds()} s  ${finding.section}: ${finding.name}, ${finding.tried} tries`);
  for (const fault of finding.faults) console.error(`        FAULT ${fault}`);
}

function isWanted(section: string): boolean {
  return section.includes(options.section);
}

function seconds(): string {
  return ((Date.now() - begun) / 1000).toFixed(0);
}
