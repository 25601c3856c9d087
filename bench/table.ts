import type { PeerCost } from './langgraph.ts';
import { TURNS_BEFORE_KILL } from './recovery.ts';
import type { Speed } from './speed.ts';
import type { Growth } from './statistics.ts';
import { LIMITS, type Structure } from './structure.ts';

/** Everything that was measured here. */
export interface Cost {
  readonly speed: Speed;
  readonly structure: Structure;
  readonly withEffect: Structure;
  readonly workerKillMs: number;
  readonly hostKillMs: number;
  readonly startMs: number;
}

type Row = readonly [what: string, ours: string, peer: string, limit?: string | number];

/** Writes the measurements as a table; the peer's column stays empty without a peer. */
export function tableOf(cost: Cost, peer: PeerCost | undefined): string {
  const rows: Row[] = [
    ['', 'Holdfast', peer ? 'LangGraph.js' : '', 'limit'],
    ...timeRows(cost, peer),
    ...byteRows(cost, peer),
    ...loopRows(cost, peer),
    ...restRows(cost, peer),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => String(row[column]).length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => String(cell ?? '').padEnd(widths[i] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

const NONE = '-';

const timeRows = ({ speed }: Cost, peer: PeerCost | undefined): Row[] => [
  ['a turn, first tenth of the run', ms(speed.pace.first), peer ? ms(peer.pace.first) : ''],
  ['a turn, last tenth', ms(speed.pace.last), peer ? ms(peer.pace.last) : ''],
  ['last tenth / first tenth', fixed(speed.pace.ratio), peer ? fixed(peer.pace.ratio) : '', '1.15, not enforced'],
];

const byteRows = ({ speed, structure, withEffect }: Cost, peer: PeerCost | undefined): Row[] => [
  ['written a turn, first > last tenth', span(structure.bytes), peer ? span(peer.bytes) : '', `x ${LIMITS.growth}`],
  ['  as a multiple of the payload', times(structure.multiple), peer ? times(peer.multiple) : '', LIMITS.multiple],
  ['  with an idempotent effect', `${span(withEffect.bytes)} (${times(withEffect.multiple)})`, peer ? NONE : ''],
  ['on disk a turn, at rest', bytes(speed.diskBytes), peer ? bytes(peer.diskBytes) : ''],
];

const loopRows = ({ structure, withEffect }: Cost, peer: PeerCost | undefined): Row[] => [
  ['store operations a turn', named(structure), peer ? calls(peer.calls) : '', LIMITS.operations.read_text],
  ['  with an idempotent effect', named(withEffect), peer ? NONE : '', LIMITS.operations.write_text],
  [
    'transitions, events a turn',
    `${structure.transitions}, ${structure.events}`,
    peer ? NONE : '',
    `${LIMITS.transitions}, ${LIMITS.events}`,
  ],
  ['largest execution state', bytes(structure.stateBytes), peer ? NONE : '', bytes(LIMITS.stateBytes)],
];

const restRows = ({ speed, workerKillMs, hostKillMs, startMs }: Cost, peer: PeerCost | undefined): Row[] => [
  ['peak memory', `host ${mib(speed.hostMiB)} + workers ${mib(speed.workersMiB)}`, peer ? mib(peer.peakMiB) : ''],
  ['kill -9 of a worker > next step', ms(workerKillMs), peer ? NONE : ''],
  [`kill -9 of all after ${TURNS_BEFORE_KILL} turns > next step`, ms(hostKillMs), peer ? ms(peer.killMs) : ''],
  ['warm start', ms(startMs), peer ? ms(peer.startMs) : ''],
];

const fixed = (value: number) => value.toFixed(2);
const ms = (value: number) => `${value < 100 ? value.toFixed(1) : Math.round(value)} ms`;
const mib = (value: number) => `${Math.round(value)} MiB`;
const bytes = (value: number) => `${Math.round(value).toLocaleString('en')} B`;
const span = ({ first, last }: Growth) => `${bytes(first)} > ${bytes(last)}`;
const times = ({ first, last }: Growth) => `${fixed(first)} > ${fixed(last)}`;
const named = ({ operations, byName }: Structure) => `${operations}: ${listed(byName)}`;
const calls = (byName: Readonly<Record<string, number>>) => listed(byName);
const listed = (byName: Readonly<Record<string, number>>) =>
  Object.entries(byName)
    .map(([name, count]) => `${Number(count.toFixed(1))} ${name}`)
    .join(', ');
