/** Lines compared with lines beyond this are shown as one block that became another: the table below grows with both. */
const MAX_CELLS = 1_000_000;

/** Says how a text became another, line by line: `- ` before what is gone, `+ ` before what is new. Lines that stayed are left out. */
export function lineDiff(before: string, after: string): string[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return between(a.slice(start, a.length - end), b.slice(start, b.length - end));
}

function between(a: readonly string[], b: readonly string[]): string[] {
  if (a.length * b.length > MAX_CELLS) return [...a.map((line) => `- ${line}`), ...b.map((line) => `+ ${line}`)];
  const common = lengthsOfCommon(a, b);
  const lines: string[] = [];
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) [i, j] = [i + 1, j + 1];
    else if (j >= b.length || (i < a.length && at(common, i + 1, j) >= at(common, i, j + 1))) lines.push(`- ${a[i++]}`);
    else lines.push(`+ ${b[j++]}`);
  }
  return lines;
}

const at = (table: readonly Uint32Array[], i: number, j: number): number => table[i]?.[j] ?? 0;

/** The length of the longest common sequence of lines from each place on. */
function lengthsOfCommon(a: readonly string[], b: readonly string[]): Uint32Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      (table[i] as Uint32Array)[j] = a[i] === b[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1));
  return table;
}
