import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { action, type Context } from '../action.ts';
import { EXIT, UsageError } from '../output.ts';

const ENTRY = fileURLToPath(new URL('../../infra/local/serve.ts', import.meta.url));

/** Adds `serve`: the service on this machine, as a process of its own. */
export function addServe(program: Command, context: Context): void {
  program
    .command('serve')
    .description('serve on this machine until stopped')
    .action(
      action<[]>(context, () => {
        if (!existsSync(ENTRY)) throw new UsageError('Cannot serve: this installation has no local service');
        return served();
      }),
    );
}

/** Starts the service and returns its exit code; signals reach it through the terminal's process group. */
const served = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [ENTRY], { stdio: 'inherit' });
    process.removeAllListeners('SIGINT').on('SIGINT', () => {});
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? EXIT.interrupted));
  });
