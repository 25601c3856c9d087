import type { PeerCost } from './langgraph.ts';
import type { Counted, LongRun } from './long-run.ts';
import { TURNS_BEFORE_KILL } from './recovery.ts';
import type { Speed } from './speed.ts';
import type { Growth } from './statistics.ts';
import { LIMITS, type Structure } from './structure.ts';

/** Everything that was measured here. */
export interface Cost {
  readonly turns: number;
  readonly speed: Speed;
  readonly structure: Structure;
  readonly withEffect: Structure;
  readonly long: LongRun;
  readonly workerKillMs: number;
  readonly hostKillMs: number;
  readonly startMs: number;
}

/** One line of the table; without `peer` there is nothing like it at the peer. */
type Row = readonly [what: string, ours: string, peer?: ((peer: PeerCost) => string) | undefined, limit?: string];

/** Writes what was measured as a table. Without a peer its column is empty. */
export function tableOf(cost: Cost, peer: PeerCost | undefined): string {
  const lines = [...timeRows(cost), ...byteRows(cost), ...loopRows(cost), ...longRows(cost.long), ...restRows(cost)].map(
    ([what, ours, ofPeer, limit = '']) => [what, ours, peer ? (ofPeer?.(peer) ?? '-') : '', limit],
  );
  return aligned([['', `Holdfast, ${cost.turns} turns`, peer ? `LangGraph.js, ${peer.turns} turns` : '', 'limit'], ...lines]);
}

/** Writes lines of cells in columns. */
export function aligned(lines: readonly string[][]): string {
  const widthOf = (column: number) => Math.max(...lines.map((line) => line[column]?.length ?? 0));
  const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widthOf(column) + 2)));
  return padded.map((line) => line.join('').trimEnd()).join('\n');
}

const timeRows = ({ speed: { pace } }: Cost): Row[] => [
  ['turn, first tenth of the run', ms(pace.first), (peer) => ms(peer.pace.first)],
  ['turn, last tenth', ms(pace.last), (peer) => ms(peer.pace.last)],
  ['last tenth / first tenth', fixed(pace.ratio), (peer) => fixed(peer.pace.ratio), '1.15, not enforced'],
];

const byteRows = ({ speed, structure, withEffect }: Cost): Row[] => [
  ['written a turn, first > last tenth', span(structure.bytes), (peer) => span(peer.bytes), `growth ${LIMITS.growth}`],
  ['  in payloads', times(structure.multiple), (peer) => times(peer.multiple), String(LIMITS.multiple)],
  ['  with an idempotent effect', `${span(withEffect.bytes)}, ${times(withEffect.multiple)}`],
  ['on disk a turn, at rest', bytes(speed.diskBytes), (peer) => bytes(peer.diskBytes)],
];

const loopRows = ({ speed, structure, withEffect }: Cost): Row[] => [
  ['store operations a turn', counted(structure), (peer) => listed(peer.calls, 1), String(LIMITS.operations.read_text)],
  ['  with an idempotent effect', counted(withEffect), undefined, String(LIMITS.operations.write_text)],
  ['  over the long run', listed(speed.operations, 2)],
  ['transitions, events a turn', `${structure.transitions}, ${structure.events}`, undefined, `${LIMITS.transitions}, ${LIMITS.events}`],
  ['largest execution state', bytes(Math.max(structure.stateBytes, speed.stateBytes)), undefined, bytes(LIMITS.stateBytes)],
];

/** A run that outgrows its view and its segments again and again. */
const longRows = ({ pace, written, read, operations, summaries, segments, events, records, workersMiB }: LongRun): Row[] => [
  [`with ${summaries} summaries: turn, first > last tenth`, `${ms(pace.first)} > ${ms(pace.last)}, ${fixed(pace.ratio)}`],
  ['  written a turn', span(written)],
  ['  read a turn', span(read)],
  ['  store operations a turn', `${fixed(operations.first)} > ${fixed(operations.last)}`],
  [
    '  segments, events, records',
    [segments, events, records].map(({ found }) => found).join(', '),
    undefined,
    predicted([segments, events, records]),
  ],
  ['  workers, after a tenth > at the end', `${mib(workersMiB.first)} > ${mib(workersMiB.last)}`],
];

const predicted = (counts: readonly Counted[]) => `exactly ${counts.map((each) => each.predicted).join(', ')}`;

const restRows = ({ speed, workerKillMs, hostKillMs, startMs }: Cost): Row[] => [
  ['peak memory', `host ${mib(speed.hostMiB)}, workers ${mib(speed.workersMiB)}`, (peer) => mib(peer.peakMiB)],
  ['kill -9 of a worker > next step', ms(workerKillMs)],
  [`kill -9 of all, ${TURNS_BEFORE_KILL} turns in > next step`, ms(hostKillMs), (peer) => ms(peer.killMs)],
  ['warm start', ms(startMs), (peer) => ms(peer.startMs)],
];

const fixed = (value: number) => value.toFixed(2);
const ms = (value: number) => `${value < 100 ? value.toFixed(1) : Math.round(value)} ms`;
const mib = (value: number) => (Number.isNaN(value) ? 'not known' : `${Math.round(value)} MiB`);
const bytes = (value: number) => `${Math.round(value).toLocaleString('en')} B`;
const span = ({ first, last }: Growth) => `${bytes(first)} > ${bytes(last)}`;
const times = ({ first, last }: Growth) => `${fixed(first)} > ${fixed(last)} x`;
const counted = ({ operations, byName }: Structure) => `${operations}: ${listed(byName, 0)}`;
const listed = (counts: Readonly<Record<string, number>>, digits: number) =>
  Object.entries(counts)
    .filter(([, count]) => Number(count.toFixed(digits)) > 0)
    .map(([name, count]) => `${count.toFixed(digits)} ${name}`)
    .join(', ');
