/** What came of trying one thing, once or at many points. */
export interface Finding {
  readonly section: string;
  readonly name: string;
  readonly tried: number;
  /** Open outcomes that a person was asked about. */
  readonly asked: number;
  readonly faults: readonly string[];
  /** Points of those tried that no play came to: what happens at the same time does not happen in the same order each time. */
  readonly missed?: readonly string[];
  /** A figure to print. */
  readonly note?: string;
}

/** The findings as a table: one line for each thing that was tried, wherever, and below it what is wrong. */
export function tableOf(findings: readonly Finding[]): string[] {
  const lines = Map.groupBy(findings, ({ section, name }) => `${section.padEnd(22)}  ${name}`);
  return [...lines].flatMap(([what, all]) => {
    const faults = all.flatMap((each) => each.faults);
    const tried = sum(all, ({ tried }) => tried);
    const verdict = faults.length > 0 ? 'FAIL' : tried > 0 ? 'ok  ' : 'none';
    const notes = all.flatMap(({ note }) => note ?? []);
    const missed = all.flatMap((each) => each.missed ?? []).map((point) => `missed: ${point}`);
    return [`${verdict} ${String(tried).padStart(5)}  ${what}`, ...[...notes, ...missed, ...faults].map((line) => `        ${line}`)];
  });
}

/** Whether all is well: something was tried, nothing is wrong, and few of the points were missed. */
export function isWell(findings: readonly Finding[]): boolean {
  const missed = sum(findings, ({ missed = [] }) => missed.length);
  const tried = sum(findings, ({ tried }) => tried);
  return tried > 0 && findings.every(({ faults }) => faults.length === 0) && missed <= tried * MOST_MISSED;
}

const MOST_MISSED = 0.05;

/** The last line. */
export function totalOf(findings: readonly Finding[]): string {
  const bad = sum(findings, ({ faults }) => faults.length);
  const missed = sum(findings, ({ missed = [] }) => missed.length);
  return `${sum(findings, ({ tried }) => tried)} tries, ${bad} faults, ${missed} missed, ${sum(findings, ({ asked }) => asked)} open outcomes asked about`;
}

const sum = <T>(list: readonly T[], of: (each: T) => number): number => list.reduce((total, each) => total + of(each), 0);
