/** The middle value; of an even count the upper one. */
export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Values of the first and the last tenth of a run, and their ratio. */
export interface Growth {
  readonly first: number;
  readonly last: number;
  readonly ratio: number;
}

/** Turns over which a time is averaged before medians are taken: records are stamped in whole ms. */
const SPAN = 10;

/** ms a turn in the first and the last tenth, from the times at which turns began: the median over spans of ten turns. */
export function paceOf(begun: readonly number[]): Growth {
  const tenth = Math.max(SPAN + 1, Math.floor(begun.length / 10));
  return growthOf(medianPace(begun.slice(0, tenth)), medianPace(begun.slice(-tenth)));
}

function medianPace(begun: readonly number[]): number {
  const spans = begun.slice(SPAN).map((at, i) => (at - (begun[i] as number)) / SPAN);
  return median(spans);
}

/** The median of the first tenth of the values and of the last. */
export function tenthsOf(values: readonly number[]): Growth {
  const tenth = Math.max(1, Math.floor(values.length / 10));
  return growthOf(median(values.slice(0, tenth)), median(values.slice(-tenth)));
}

/** The mean of the first tenth of the values and of the last: what happens now and then counts in it. */
export function meansOf(values: readonly number[]): Growth {
  const tenth = Math.max(1, Math.floor(values.length / 10));
  return growthOf(mean(values.slice(0, tenth)), mean(values.slice(-tenth)));
}

const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;

const growthOf = (first: number, last: number): Growth => ({ first, last, ratio: last / first });
