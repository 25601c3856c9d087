import { drive, type Played } from '../runs/drive.ts';
import type { Story } from '../runs/stories.ts';
import { sentMails } from './mails.ts';
import { type Caller, callsAfter, lastCall, quiet, type Stage, sweep } from './stage.ts';

/** A place where something can go wrong: the nth time in a story that a function, or the state machine, does something outside itself. */
export interface Point {
  readonly by: Caller;
  /** `<service>.<Operation>` of AWS, or `world <path>`. */
  readonly operation: string;
  readonly nth: number;
}

/** What goes wrong there, in the simulator's words. */
export interface Fault {
  readonly name: string;
  readonly spec: { readonly action: 'kill' | 'fail'; readonly when?: 'before' | 'after' } & Readonly<Record<string, unknown>>;
}

/** A process ends before what it does takes effect, or after it and before it hears so. */
export const KILLS: readonly Fault[] = (['before', 'after'] as const).map((when) => ({
  name: `killed ${when}`,
  spec: { action: 'kill', when },
}));

/** More times than the SDK tries: the invocation fails, and so does the one after it. */
const LONG = 5;

/** Calls are refused for long, or fail for long, or one took effect and said that it had failed. */
export const FAILURES: readonly Fault[] = [
  { name: 'throttled', spec: { action: 'fail', error: 'ThrottlingException', times: LONG } },
  { name: 'failing', spec: { action: 'fail', error: 'InternalServerError', times: LONG } },
  { name: 'done and said to have failed', spec: { action: 'fail', error: 'InternalServerError', applied: true } },
];

/** The state machine invokes no function: it is throttled, which it tries again by itself, or it cannot tell whether the function ran. */
export const INVOKE_FAILURES: readonly Fault[] = [
  { name: 'throttled', spec: { action: 'fail', error: 'TooManyRequestsException', times: 2 } },
  { name: 'failing', spec: { action: 'fail', error: 'ServiceException' } },
];

/** A fault at a point. */
export interface Strike {
  readonly point: Point;
  readonly fault: Fault;
}

export const nameOf = ({ point, fault }: Strike): string => `${keyOf(point)}, ${fault.name}`;

/** How a story went on a stage, and where it could have gone wrong. */
export interface Staged {
  readonly played: Played;
  readonly points: readonly Point[];
}

/** Plays a story, with a fault at a point if one is given. Throws when the story is stuck, or came to no such point. */
export async function play(stage: Stage, story: Story, strike?: Strike): Promise<Staged> {
  // What a process keeps, such as a key, is read anew.
  await stage.simulator.tell('POST', 'kill', { function: 'ask' });
  const since = await lastCall(stage);
  const world = watchWorld(stage, strike);
  const armed = await arm(stage, strike);
  try {
    const played = await drive({ url: stage.url, world: stage.world, mails: () => sentMails(stage), sweep: () => sweep(stage) }, story);
    await quiet(stage);
    if (strike && !world.struck() && !(await armed.struck()))
      throw new MissedError(`Cannot strike ${nameOf(strike)}: this play did not come to it`);
    return { played, points: numbered([...(await callsAfter(stage, since)), ...world.seen]) };
  } finally {
    delete stage.world.strike;
    await stage.simulator.tell('DELETE', 'faults');
  }
}

/** What happens at the same time does not happen in the same order each time. */
export class MissedError extends Error {
  override readonly name = 'MissedError';
}

/** The points that two plays of a story have in common. */
export async function pointsOf(stage: Stage, story: Story): Promise<Point[]> {
  const { points } = await play(stage, story);
  return inBoth(points, (await play(stage, story)).points);
}

/** The points that two tries of the same have in common: what others left lying is met by one of them alone. */
export function inBoth(points: readonly Point[], others: readonly Point[]): Point[] {
  const again = new Set(others.map(keyOf));
  return points.filter((point) => again.has(keyOf(point)));
}

const keyOf = ({ by, operation, nth }: Point) => `${by} ${operation} ${nth}`;

type Seen = Omit<Point, 'nth'>;

/** Numbers what was done by who did it and what it was. */
export function numbered(seen: readonly Seen[]): Point[] {
  const counts = new Map<string, number>();
  return seen.map(({ by, operation }) => {
    const nth = (counts.get(`${by} ${operation}`) ?? 0) + 1;
    counts.set(`${by} ${operation}`, nth);
    return { by, operation, nth };
  });
}

const isInWorld = ({ operation }: Seen) => operation.startsWith('world ');

/** Arms the simulator with a fault at a call to AWS; without one nothing is struck. */
export async function arm({ simulator }: Stage, strike: Strike | undefined): Promise<{ struck(): Promise<boolean> }> {
  if (!strike || isInWorld(strike.point)) return { struck: async () => false };
  const { by, operation, nth } = strike.point;
  const who = by === 'states' ? { caller: by } : { function: by };
  const { id } = await simulator.tell<{ id: number }>('POST', 'faults', { ...strike.fault.spec, ...who, operation, nth });
  return {
    async struck() {
      const faults = await simulator.get<{ id: number; hits: unknown[] }[]>('faults');
      return faults.some((fault) => fault.id === id && fault.hits.length > 0);
    },
  };
}

/** Begins with an untouched world, notes what tools do to it, and kills there if that is the strike. */
function watchWorld({ world }: Stage, strike: Strike | undefined): { seen: Seen[]; struck(): boolean } {
  const seen: Seen[] = [];
  const target = strike && isInWorld(strike.point) ? strike : undefined;
  let struck = false;
  world.applied.length = 0;
  world.strike = ({ pid, path }, when) => {
    const operation = `world ${path}`;
    if (when === 'before') seen.push({ by: 'tool-step', operation });
    const nth = seen.filter((each) => each.operation === operation).length;
    if (struck || target?.point.operation !== operation || target.point.nth !== nth || target.fault.spec.when !== when) return false;
    process.kill(pid, 'SIGKILL');
    struck = true;
    return true;
  };
  return { seen, struck: () => struck };
}

/** The faults that can come at points of some functions. The world is no service of AWS: it does not fail, but its caller may die. */
export const strikesAt = (points: readonly Point[], callers: readonly Caller[], faults: readonly Fault[]): Strike[] =>
  points
    .filter(({ by }) => callers.includes(by))
    .flatMap((point) => faults.filter(({ spec }) => spec.action === 'kill' || !isInWorld(point)).map((fault) => ({ point, fault })));
