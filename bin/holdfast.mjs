#!/usr/bin/env node
// Runs the command on the Node that this project brings along, when it was started with an older one: only that runs
// TypeScript as it is.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
const MAIN = new URL('../cli/main.ts', import.meta.url);
const NODE = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  process.argv[1] = fileURLToPath(MAIN);
  await import(MAIN.href);
} else {
  const child = spawn(NODE, [fileURLToPath(MAIN), ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal sends SIGINT to both processes; this one only waits for the other.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(`Cannot start ${NODE}: ${error.message}; "node scripts/setup.mjs" installs it`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
