import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMachine } from './machine.ts';
import { recordsOf, startRun, untilOver } from './run.ts';
import { paceOf } from './statistics.ts';
const turns = Number(process.argv[2] ?? 1000);
const tool = (process.argv[3] ?? 'read_text') as 'read_text';
const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
const machine = await startMachine(dataDir);
const cpu = (pid: number) => { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' '); return (Number(f[11]) + Number(f[12])) * 10; };
const all = async () => { const i = await machine.info(); return { host: cpu(i.pid), ...Object.fromEntries(Object.entries(i.workers).filter(([, p]) => p.length).map(([k, p]) => [k, p.reduce((s, x) => s + cpu(x), 0)])) } as Record<string, number>; };
for (const n of [500, turns, turns]) {
  const a = await all();
  const t = performance.now();
  const runId = await startRun(machine.url, { turns: n, tool });
  await untilOver(machine.info, runId, { everyMs: 200 });
  const wall = performance.now() - t;
  const b = await all();
  const d = Object.fromEntries(Object.keys(b).map(k => [k, ((b[k]! - (a[k] ?? 0)) / n).toFixed(2)]));
  const at = (await recordsOf(machine.url, runId)).filter(({ type }) => type === 'reply').map(({ at }) => at);
  const p = paceOf(at);
  console.log(n, 'wall/turn', (wall / n).toFixed(2), 'cpu ms/turn', JSON.stringify(d), 'first', p.first.toFixed(2), 'last', p.last.toFixed(2), p.ratio.toFixed(2));
}
await machine.stop();
rmSync(dataDir, { recursive: true });
