/** A published version of the state machine. */
export interface MachineVersion {
  readonly version: number;
  readonly arn: string;
  /** When it was published, ms since the epoch. */
  readonly publishedAt: number;
  /** ARNs of the function versions that its definition invokes. */
  readonly functions: readonly string[];
}

/** What is kept of the versions of a state machine. */
export interface Keeping {
  /** The version that new runs start on. */
  readonly current: number;
  /** The versions that unfinished runs stay on. */
  readonly needed: ReadonlySet<number | undefined>;
  /** How many of the newest. */
  readonly newest: number;
  /** Those that were the newest at this time or later, ms since the epoch. */
  readonly since: number;
}

/** The versions that may go, oldest first: whatever is deleted of them, and in whatever order, no unfinished run notices. */
export function versionsToPrune(versions: readonly MachineVersion[], { current, needed, newest, since }: Keeping): MachineVersion[] {
  const newestFirst = versions.toSorted((a, b) => b.version - a.version);
  // A version takes new runs until the next one is published: their time counts, and not only its own.
  const lastUse = (place: number) => newestFirst[place - 1]?.publishedAt ?? Number.POSITIVE_INFINITY;
  const goes = ({ version }: MachineVersion, place: number) =>
    place >= newest && version !== current && !needed.has(version) && lastUse(place) < since;
  return newestFirst.filter(goes).reverse();
}

/** The published function versions that nothing kept invokes. */
export function functionsToPrune(published: readonly string[], invoked: Iterable<string>): string[] {
  const kept = new Set(invoked);
  return published.filter((arn) => !kept.has(arn));
}

/** ARNs of the function versions that a definition of a state machine invokes, each once. */
export const functionsIn = (definition: string): string[] => [...new Set(definition.match(FUNCTION_VERSION) ?? [])].toSorted();

const FUNCTION_VERSION = /\barn:[\w-]+:lambda:[\w-]+:\d+:function:[\w-]+:\d+\b/g;

/** The ARN and the number that make up the ARN of a version. Throws a TypeError when it names none. */
export function splitVersion(arn: string): { whole: string; version: number } {
  const [, whole, digits] = /^(arn:.+):(\d+)$/.exec(arn) ?? [];
  if (whole === undefined) throw new TypeError(`Cannot use "${arn}": it names no version`);
  return { whole, version: Number(digits) };
}
