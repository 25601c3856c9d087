import { rmSync } from 'node:fs';
import { startHost } from './local/host.ts';

rmSync('/tmp/hf-data', { recursive: true, force: true });
let t = performance.now();
const host = await startHost({ dataDir: '/tmp/hf-data', port: 0, handlers: '/work/main/test/infra/local/handlers', backoffMs: 5 });
console.log('started', performance.now() - t, host.url);
t = performance.now();
const post = (p: string, b: any) =>
  fetch(host.url + p, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(b) }).then(async (r) => [
    r.status,
    await r.text(),
  ]);
const get = (p: string) => fetch(host.url + p).then(async (r) => r.json());
const until = async (f: any) => {
  for (;;) {
    const v = await f();
    if (v) return v;
    await new Promise((r) => setTimeout(r, 10));
  }
};
console.log(
  await post('/runs', {
    runId: 'A',
    script: ['tools', 'tools', 'die', 'throw', 'ask', 'wait:1', 'exit', 'continue', 'tools', 'end:completed'],
  }),
  performance.now() - t,
);
await until(async () => (await get('/runs/A')).token);
console.log(await post('/asks/A/answer', {}));
await until(async () => (await get('/runs/A')).status === 'completed');
console.log(performance.now() - t, await get('/runs/A'));
console.log(JSON.stringify(host.info(), null, 1));
// bench
const N = 2000;
t = performance.now();
const cpu = process.cpuUsage();
await post('/runs', { runId: 'B', script: [...Array(N).fill('tools'), 'end:completed'] });
await until(
  async () =>
    (await get('/runs/B')).status === 'completed' && host.info().executions.find((e) => e.name.startsWith('B'))!.status !== 'RUNNING',
);
const c = process.cpuUsage(cpu);
const e = host.info().executions.find((e) => e.name.startsWith('B'))!;
console.log(
  'bench',
  (performance.now() - t) / N,
  'ms/turn wall; host cpu ms/transition',
  (c.user + c.system) / 1000 / e.transitions,
  e,
  process.memoryUsage().rss / 1e6,
);
t = performance.now();
await host.stop();
console.log('stopped', performance.now() - t);
