import { userInfo } from 'node:os';
import { MAX_PAGE, type RunSummary } from '../shared/api.ts';
import { type RunRecord, runRecord } from '../shared/record.ts';
import type { ShownRecord } from '../shared/shown-record.ts';
import { isRunId, parseAskId } from '../shared/tables.ts';
import { type AccessOptions, accessFor, stackFor } from './access.ts';
import { oneLine } from './clean.ts';
import type { Client } from './client.ts';
import { type Paint, paintFor, type Terminal, UsageError } from './output.ts';

/** Options that every command knows. */
export interface GlobalOptions extends AccessOptions {
  readonly json?: boolean;
}

/** What a command works with. */
export interface Session {
  readonly terminal: Terminal;
  readonly json: boolean;
  readonly paint: Paint;
  /** The service at the address that holds now: it may start again at another one. */
  readonly client: () => Client;
  /** The stack that the service was deployed as. Throws a UsageError when none was named. */
  readonly stack: () => string;
  /** The AWS region, when the command line says it. */
  readonly region: string | undefined;
}

/** Opens a session for one command. Throws a UsageError when the service cannot be meant. */
export const openSession = (terminal: Terminal, options: GlobalOptions): Session => ({
  terminal,
  json: options.json ?? false,
  paint: paintFor(terminal),
  client: accessFor(terminal, options),
  stack: () => stackFor(terminal, options),
  region: options.region,
});

/** Who acts, for the log: the account's name. */
export function actor(): string {
  try {
    return userInfo().username || 'cli';
  } catch {
    return 'cli'; // An account without a name, as in some containers.
  }
}

/** The fewest characters that stand for a run id: its beginning, or its end. */
const SHORTEST = 4;

/** Finds the run that a whole id names, or a unique beginning or end of one among the latest runs. */
export async function findRun({ client }: Session, text: string): Promise<string> {
  const wanted = text.toUpperCase();
  if (isRunId(wanted)) return wanted;
  if (wanted.length < SHORTEST)
    throw new UsageError(`Cannot find run "${oneLine(text, 40)}": give its id, or at least ${SHORTEST} characters of it`);
  const { runs } = await client().runs({ limit: MAX_PAGE });
  const found = runs.map((run) => run.runId).filter((id) => id.startsWith(wanted) || id.endsWith(wanted));
  if (found.length === 1) return found[0] as string;
  const state = found.length === 0 ? `none of the latest ${runs.length} runs is named so` : `${found.length} runs are named so`;
  throw new UsageError(`Cannot find run "${oneLine(text, 40)}": ${state}; see "holdfast ls"`);
}

/** The id of the ask that is named, or that the named run waits for. `verb` is what is to be done with it. */
export async function askIdOf(session: Session, text: string, verb: string): Promise<string> {
  if (parseAskId(text.toUpperCase())) return text.toUpperCase();
  const run = await summaryOf(session, await findRun(session, text));
  if (!run.ask) throw new UsageError(`Cannot ${verb} run ${run.runId}: it is ${run.status} and asks nothing`);
  return run.ask.id;
}

/** The summary of a run. */
export const summaryOf = async ({ client }: Session, runId: string): Promise<RunSummary> =>
  (await client().records(runId, { limit: 1 })).run;

/** The summary of a run and its log; large records are shown in part. */
export async function wholeRun({ client }: Session, runId: string): Promise<{ run: RunSummary; records: ShownRecord[] }> {
  const records: ShownRecord[] = [];
  for (;;) {
    const page = await client().records(runId, { after: records.at(-1)?.seq ?? 0, limit: MAX_PAGE });
    records.push(...page.records);
    if (page.records.length === 0) return { run: page.run, records };
  }
}

/** The JSON text of a record, whole, however large it is. */
export async function wholeRecord({ client }: Session, runId: string, seq: number): Promise<string> {
  const pieces: string[] = [];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const piece = await client().recordPiece(runId, seq, from);
    pieces.push(piece.text);
    from = piece.next;
  }
  return pieces.join('');
}

/** A record as it is stored, in place of one that is shown in part. */
export const unclipped = async (session: Session, runId: string, record: ShownRecord): Promise<RunRecord> =>
  record.clipped ? runRecord.parse(JSON.parse(await wholeRecord(session, runId, record.seq))) : record;
