import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { payloadBytes } from './load.ts';
import { TURNS_BEFORE_KILL } from './recovery.ts';
import { type Growth, median, paceOf, tenthsOf } from './statistics.ts';
import { bytesIn, withFolder } from './temporary-folder.ts';

const FOLDER = fileURLToPath(new URL('./langgraph', import.meta.url));

/** The same turns on LangGraph.js with its SQLite checkpointer. */
export interface PeerCost {
  readonly turns: number;
  readonly pace: Growth;
  readonly bytes: Growth;
  readonly multiple: Growth;
  /** Calls of the checkpointer a turn, by name. */
  readonly calls: Readonly<Record<string, number>>;
  readonly peakMiB: number;
  readonly diskBytes: number;
  readonly killMs: number;
  readonly startMs: number;
}

/** What the peer's process reports. */
type Message =
  | { ready: true }
  | { step: number; at: number }
  | { begun: number[]; calls: Record<string, number>; bytes: number[]; peakKiB: number };

/**
 * Installs the peer's packages, unless they are there. They have better-sqlite3 13, which needs no compiler; 12 aborts on
 * current releases of Node 24. Throws an Error that says what npm said.
 */
export function installPeer(): void {
  if (existsSync(join(FOLDER, 'node_modules/.package-lock.json'))) return;
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  const { status, stderr, error } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: FOLDER,
    env: { ...process.env, PATH },
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`Cannot install its packages: ${error?.message ?? stderr.split('\n').slice(0, 4).join('; ')}`);
}

/** Measures the peer: a thread of so many turns after a short one, kills at the same place as ours, and starts. */
export async function measurePeer(turns: number, warmUp: number, times: number): Promise<PeerCost> {
  const long = await withFolder(async (folder) => ({ ...(await runToEnd(join(folder, 'db'), turns, warmUp)), disk: bytesIn(folder) }));
  const { begun, calls, bytes, peakKiB, disk } = long;
  return {
    turns,
    pace: paceOf(begun),
    bytes: tenthsOf(bytes),
    multiple: tenthsOf(bytes.map((each, turn) => each / payloadBytes(turn))),
    calls,
    peakMiB: peakKiB / 1024,
    diskBytes: disk / (turns + warmUp),
    killMs: median(await repeat(times, () => withFolder(killOnce))),
    startMs: median(await repeat(times, () => withFolder(startOnce))),
  };
}

const start = (database: string, turns: number, warmUp = 0): ChildProcess =>
  fork(join(FOLDER, 'peer.mjs'), [database, String(turns), String(warmUp)]);

/** Waits for a message of the process. Throws when it ends before. */
async function messageOf<M extends Message>(child: ChildProcess, wanted: (message: Message) => message is M): Promise<M> {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`Cannot measure LangGraph.js: it ended with code ${code}`)));
  const found = new Promise<M>((resolve) => child.on('message', (message: Message) => wanted(message) && resolve(message)));
  ended.catch(() => {});
  return Promise.race([found, ended]);
}

const isResult = (message: Message): message is Extract<Message, { bytes: unknown }> => 'bytes' in message;
const isReady = (message: Message): message is { ready: true } => 'ready' in message;
const isStep =
  (from: number) =>
  (message: Message): message is Extract<Message, { step: number }> =>
    'step' in message && message.step >= from;

const runToEnd = (database: string, turns: number, warmUp: number) => messageOf(start(database, turns, warmUp), isResult);

/** kill -9 after so many turns; from there to the next checkpoint of a process that is started at once. */
async function killOnce(folder: string): Promise<number> {
  const child = start(join(folder, 'db'), 10 * TURNS_BEFORE_KILL);
  await messageOf(child, isStep(2 * TURNS_BEFORE_KILL));
  const killedAt = Date.now();
  await end(child);
  const again = start(join(folder, 'db'), 10 * TURNS_BEFORE_KILL);
  const { at } = await messageOf(again, isStep(1));
  await end(again);
  return at - killedAt;
}

async function startOnce(folder: string): Promise<number> {
  const begun = performance.now();
  const child = start(join(folder, 'db'), 0);
  await messageOf(child, isReady);
  const taken = performance.now() - begun;
  await end(child);
  return taken;
}

async function end(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function repeat(times: number, measure: () => Promise<number>): Promise<number[]> {
  const taken: number[] = [];
  while (taken.length < times) taken.push(await measure());
  return taken;
}
