/** What came of trying one thing, once or at many points. */
export interface Finding {
  readonly section: string;
  readonly name: string;
  readonly tried: number;
  /** Open outcomes that a person was asked about. */
  readonly asked: number;
  readonly faults: readonly string[];
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
    const notes = all.flatMap(({ note }) => (note ? [`        ${note}`] : []));
    return [`${verdict} ${String(tried).padStart(5)}  ${what}`, ...notes, ...faults.map((fault) => `        ${fault}`)];
  });
}

/** The last line. */
export function totalOf(findings: readonly Finding[]): string {
  const bad = sum(findings, ({ faults }) => faults.length);
  return `${sum(findings, ({ tried }) => tried)} tries, ${bad} faults, ${sum(findings, ({ asked }) => asked)} open outcomes asked about`;
}

const sum = <T>(list: readonly T[], of: (each: T) => number): number => list.reduce((total, each) => total + of(each), 0);
