import { Session } from 'node:inspector';
import { writeFileSync } from 'node:fs';
const s = new Session(); s.connect();
const name = process.env.AWS_LAMBDA_FUNCTION_NAME;
if (name === 'model-step' || name === 'tool-step') {
  setTimeout(() => s.post('Profiler.enable', () => s.post('Profiler.setSamplingInterval', { interval: 200 }, () => s.post('Profiler.start', () => {
    const c0 = process.cpuUsage(), t0 = performance.now();
    setTimeout(() => s.post('Profiler.stop', (e, r) => { const c = process.cpuUsage(c0); console.log('CPU', c, performance.now() - t0); writeFileSync(`/tmp/prof-${name}.cpuprofile`, JSON.stringify(r.profile)); }), 6000);
  }))), 4000);
}
export { agents } from './agents.ts';
