import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deployBrokenMachine, deployFirstMachine } from './account.ts';
import { type Check, ONCE, type Tried } from './check.ts';
import { FIRST_STAGE } from './second-deployment.ts';
import type { Stage } from './stage.ts';

/** The command as a user with credentials gives it: it finds the stack, signs, and starts and answers a run there. */
export const COMMAND_CHECKS: readonly Check[] = [
  { section: 'command', name: 'a run is started, answered and shown with --stack', run: followed },
  { section: 'command', name: 'of the versions the one that no run needs may go, and no other', run: prunable },
];

const HOLDFAST = fileURLToPath(new URL('../../bin/holdfast.mjs', import.meta.url));
const STACK = `Holdfast-${FIRST_STAGE}`;

/** Gives a command on the stack; it prints JSON. Throws with what it said when it fails. */
async function holdfast<T>({ simulator }: Stage, ...args: string[]): Promise<T> {
  const access = { AWS_ENDPOINT_URL: simulator.endpoint, AWS_REGION: 'us-east-1' };
  const identity = { AWS_ACCESS_KEY_ID: 'operator', AWS_SECRET_ACCESS_KEY: 'operator', AWS_EC2_METADATA_DISABLED: 'true' };
  const env = { PATH: process.env.PATH, ...access, ...identity };
  const { stdout } = await promisify(execFile)(process.execPath, [HOLDFAST, ...args, '--stack', STACK, '--json'], { env });
  return JSON.parse(stdout) as T;
}

async function followed(stage: Stage): Promise<Tried> {
  stage.world.applied.length = 0;
  const { runId } = await holdfast<{ runId: string }>(stage, 'run', 'payer', '[["pay a"]]', '--no-watch');
  const show = () => holdfast<{ run: { status: string }; records: { type: string }[] }>(stage, 'show', runId);
  await until(async () => (await show()).run.status === 'waiting');
  await holdfast(stage, 'answer', runId, '--yes', '--by', 'Ada');
  await until(async () => (await show()).run.status === 'completed');
  assert.deepEqual([(await show()).records.at(-1)?.type, stage.world.applied.length], ['end', 1]);
  return ONCE;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await holds()); ) assert(Date.now() < end, 'the run did not go on');
}

const PATIENCE_MS = 60_000;

/** Two more versions: the middle one is neither the newest, nor that of new runs, nor needed. The simulator deletes none. */
async function prunable(stage: Stage): Promise<Tried> {
  await deployBrokenMachine(stage);
  await deployFirstMachine(stage);
  const { versions } = await holdfast<{ versions: { version: number; current: boolean }[] }>(stage, 'versions');
  const newest = Math.max(...versions.map(({ version }) => version));
  const unneeded = versions.filter(({ version, current }) => !current && version !== newest).map(({ version }) => version);
  assert(unneeded.length > 0, `there are only versions ${versions.map(({ version }) => version)}`);
  const told = await holdfast<{ versions: number[]; functions: string[] }>(
    stage,
    'versions',
    '--prune',
    '--keep',
    '1',
    '--older-than',
    '0',
  );
  assert.deepEqual([told.versions, told.functions], [unneeded.toSorted((a, b) => a - b), []]);
  return ONCE;
}
