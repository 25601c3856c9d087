import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Host, startHost } from '../../infra/local/host.ts';
import { drive, type Played, type SentMail, type Stage } from '../runs/drive.ts';
import { type Faults, judge } from '../runs/judge.ts';
import type { Story } from '../runs/stories.ts';
import { startWorld } from '../runs/world.ts';
import { createStriker, type Striker, strikeProxy, type When } from './striker.ts';

/** A machine for stories, in which the process of any function can be killed at any of its operations. */
export interface Lane extends Stage {
  readonly host: Host;
  readonly striker: Striker;
  stop(): Promise<void>;
}

/** A few turns of this fit into a segment. */
export const SMALL_EVENT_LIMIT = 45;

/** What a story needs of its machine. */
export interface Setting {
  readonly smallSegments?: boolean;
  readonly sweeps?: boolean;
}

/** The machine that a story is played on. */
export const settingOf = ({ name, sweeps = false }: Story): Required<Setting> => ({ smallSegments: name === 'several segments', sweeps });

/** Starts a machine with a world, and proxies between the functions and the machine's services. */
export async function startLane({ smallSegments = false, sweeps = false }: Setting = {}): Promise<Lane> {
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-crash-'));
  const striker = createStriker();
  const world = await startWorld();
  world.strike = ({ pid, path }, when) => striker.pass({ name: `world ${path}`, pid }, when);
  let host: Host;
  const store = await strikeProxy(() => host.endpoints.store, striker);
  // Step Functions, mail and secrets are answered at one address.
  const services = await strikeProxy(() => host.endpoints.stepFunctions, striker);
  const blobs = await strikeProxy(() => host.endpoints.blobs, striker);
  const environment = {
    WORLD_URL: world.url,
    AWS_ENDPOINT_URL_DYNAMODB: store.url,
    AWS_ENDPOINT_URL_SFN: services.url,
    AWS_ENDPOINT_URL_S3: blobs.url,
    AWS_ENDPOINT_URL_SESV2: services.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: services.url,
  };
  const agents = new URL('../runs/agents.ts', import.meta.url).pathname;
  host = await startHost({
    dataDir,
    port: 0,
    agents,
    environment,
    backoffMs: 10,
    // Its operations come at any time among those that are counted: only where a story needs it.
    sweepMs: sweeps ? 150 : 0,
    ...(smallSegments ? { eventLimit: SMALL_EVENT_LIMIT } : {}),
  });
  const stop = async () => {
    await host.stop();
    store.close();
    services.close();
    blobs.close();
    await world.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const mails = () => mailsIn(join(dataDir, 'outbox'));
  return { host, world, striker, stop, url: host.url, mails };
}

async function mailsIn(folder: string): Promise<SentMail[]> {
  const names = await readdir(folder);
  return Promise.all(
    names.filter((name) => name.endsWith('.json')).map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))),
  );
}

/** What one crash did to a story. */
export interface Verdict extends Faults {
  readonly story: string;
  readonly point: string;
  readonly asked: number;
  /** Whether it came to no end: what it left may still be at work on the machine. */
  readonly stuck?: boolean;
}

/** Plays a story with no crash; returns how it went and how many operations it took. */
export async function playUncrashed(lane: Lane, story: Story): Promise<{ played: Played; operations: number; verdict: Verdict }> {
  const played = await play(lane, story, undefined, 'before');
  return { played, operations: lane.striker.seen.length, verdict: verdictOn(lane, story, played, played) };
}

/** Plays a story with one crash, and compares it with the one that had none. */
export async function playCrashed(lane: Lane, story: Story, baseline: Played, at: number, when: When): Promise<Verdict> {
  try {
    return verdictOn(lane, story, await play(lane, story, at, when), baseline);
  } catch (error) {
    const point = lane.striker.struck ?? `operation ${at} (${when}) never came`;
    return { story: story.name, point, asked: 0, duplicates: [], losses: [(error as Error).message], stuck: true };
  }
}

function play(lane: Lane, story: Story, at: number | undefined, when: When): Promise<Played> {
  lane.world.applied.length = 0;
  lane.striker.aim(at, when);
  return drive(lane, story);
}

const verdictOn = ({ world, striker }: Lane, story: Story, played: Played, baseline: Played): Verdict => ({
  story: story.name,
  point: striker.struck ?? 'none',
  asked: played.asked,
  ...judge(story, played, world.applied, baseline),
});
