import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { bundlesTable, measureBundles, tooLarge } from './bundles.ts';
import { installPeer, measurePeer, type PeerCost } from './langgraph.ts';
import { payloadBytes } from './load.ts';
import { measureLongRun, unflat } from './long-run.ts';
import { NOTES, PEER_NOTE } from './notes.ts';
import { measureHostKills, measureStarts, measureWorkerKills } from './recovery.ts';
import { measureSpeed } from './speed.ts';
import { excesses, measureStructure } from './structure.ts';
import { type Cost, tableOf } from './table.ts';

/**
 * Measures what a turn costs, here and at LangGraph.js, and what the bundles of functions cost. `--turns` of the long run,
 * `--peer-turns` of the peer's (0 leaves it out), `--warm-up` turns of a run before each. Times are printed; exits 1 when what
 * does not depend on the machine is too much.
 */
const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '2000' },
    'peer-turns': { type: 'string', default: '500' },
    'warm-up': { type: 'string', default: '500' },
  },
});
const turns = wholeNumber('turns', 20);
const peerTurns = wholeNumber('peer-turns', 0);
const warmUp = wholeNumber('warm-up', 1);
const REPEATS = 5;

say(`A turn has one call; its payload is ${payloadBytes(0)} bytes of JSON (0.5 KB said, 1 KB returned, 6 random bits a character)`);
say(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, each long run after one of ${warmUp} turns in the same processes`);
const bundles = await stage('bundles', () => measureBundles(REPEATS));
const cost = await measureAll();
const peer = peerTurns > 0 ? await measurePeerIfPossible() : undefined;
say(`\n${tableOf(cost, peer)}\n\n${bundlesTable(bundles)}\n`);
for (const note of NOTES) say(note);
if (peer) say(PEER_NOTE);

const tooMuch = [...excesses(cost.structure, 'read_text'), ...excesses(cost.withEffect, 'write_text'), ...unflat(cost.long)];
const excess = [...tooMuch, ...tooLarge(bundles)];
for (const each of excess) say(`TOO MUCH: ${each}`);
process.exitCode = excess.length > 0 ? 1 : 0;

async function measureAll(): Promise<Cost> {
  return {
    turns,
    structure: await stage('what a turn writes', () => measureStructure(turns, 'read_text')),
    withEffect: await stage('what a turn with an effect writes', () => measureStructure(Math.min(turns, 200), 'write_text')),
    startMs: await stage('starts', () => measureStarts(REPEATS)),
    speed: await stage('the long run', () => measureSpeed(turns, warmUp)),
    long: await stage('a run with summaries and segments', () => measureLongRun(turns)),
    workerKillMs: await stage('kills of a worker', () => measureWorkerKills(REPEATS)),
    hostKillMs: await stage('kills of the host', () => measureHostKills(REPEATS)),
  };
}

async function measurePeerIfPossible(): Promise<PeerCost | undefined> {
  try {
    await stage('installing LangGraph.js', async () => installPeer());
    return await stage('LangGraph.js', () => measurePeer(peerTurns, warmUp, REPEATS));
  } catch (error) {
    say(`LANGGRAPH.JS WAS NOT MEASURED: ${(error as Error).message}`);
    return undefined;
  }
}

async function stage<T>(name: string, measure: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const measured = await measure();
  console.error(`  measured ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  return measured;
}

function wholeNumber(name: keyof typeof values, least: number): number {
  const number = Number(values[name]);
  if (!Number.isInteger(number) || number < least)
    throw new Error(`Cannot measure: --${name} must be a whole number from ${least}, not "${values[name]}"`);
  return number;
}

function say(line: string): void {
  console.log(line);
}
