import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMachine } from './machine.ts';
import { recordsOf, startRun, untilOver } from './run.ts';
import { paceOf } from './statistics.ts';
const turns = Number(process.argv[2] ?? 300);
const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
const machine = await startMachine(dataDir, process.argv[3] ? ['--cpu-prof', `--cpu-prof-dir=${process.argv[3]}`] : []);
console.log('start', machine.startMs);
for (const n of [200, turns]) {
  const t = performance.now();
  const runId = await startRun(machine.url, { turns: n, tool: process.argv[4] as any ?? 'read_text' });
  const info = await untilOver(machine.info, runId, { everyMs: 200 });
  console.log((performance.now() - t) / n, 'ms/turn', info.storeOperations, info.bytesWritten, info.executions.map(({ input, output, ...e }) => e));
  const at = (await recordsOf(machine.url, runId)).filter(({ type }) => type === 'reply').map(({ at }) => at);
  console.log(paceOf(at));
  const tenths = Array.from({ length: 10 }, (_, i) => ((at[Math.floor((i + 1) * (at.length - 1) / 10)]! - at[Math.floor(i * (at.length - 1) / 10)]!) / (at.length / 10)).toFixed(2));
  console.log(tenths.join(' '));
}
await machine.stop();
rmSync(dataDir, { recursive: true });
