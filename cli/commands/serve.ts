import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { action, type Context } from '../action.ts';
import { oneLine } from '../clean.ts';
import { EXIT, UsageError } from '../output.ts';

const ENTRY = fileURLToPath(new URL('../../infra/local/serve.ts', import.meta.url));

interface Options {
  readonly dataDir?: string;
  readonly port?: string;
  readonly agents?: string;
}

/** Adds `serve`: the service on this machine, as a process of its own. */
export function addServe(program: Command, context: Context): void {
  program
    .command('serve')
    .description('serve on this machine until stopped')
    .option('--data-dir <folder>', 'where everything is stored (default: .holdfast/data)')
    .option('--port <port>', 'where to listen (default: 4545, or any free one)')
    .option('--agents <module>', 'the module that exports the agents (default: agents/index.ts)')
    .action(
      action<[], Options>(context, ({ terminal }, options) => {
        if (!existsSync(ENTRY)) throw new UsageError('Cannot serve: this installation has no local service');
        const wrong = faultOf(options, terminal.cwd);
        if (wrong) throw new UsageError(`Cannot serve: ${wrong}`);
        return served(argumentsOf(options), terminal.cwd);
      }),
    );
}

function faultOf({ port, agents }: Options, cwd: string): string | undefined {
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536))
    return `--port must be a whole number from 0 to 65535, not "${oneLine(port, 40)}"`;
  if (agents !== undefined && !existsSync(resolve(cwd, agents))) return `there is no module ${oneLine(agents, 300)} to take agents from`;
  return undefined;
}

const argumentsOf = ({ dataDir, port, agents }: Options): string[] =>
  Object.entries({ 'data-dir': dataDir, port, agents }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));

/** Starts the service and returns its exit code; signals reach it through the terminal's process group. */
const served = (args: readonly string[], cwd: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [ENTRY, ...args], { cwd, stdio: 'inherit' });
    process.removeAllListeners('SIGINT').on('SIGINT', () => {});
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? EXIT.interrupted));
  });
