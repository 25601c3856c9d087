import { runCommandLine } from '../../cli/command-line.ts';
import type { Terminal } from '../../cli/output.ts';

/** What a command line printed, and its exit code. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process against a service, with no terminal unless told otherwise. */
export async function holdfast(url: string, args: readonly string[], given: Partial<Terminal> & { stdin?: string } = {}): Promise<Ran> {
  let out = '';
  let err = '';
  const terminal: Terminal = {
    out: (text) => (out += text),
    err: (text) => (err += text),
    tty: false,
    columns: 120,
    env: { HOLDFAST_URL: url },
    cwd: '/nowhere',
    readInput: async () => Buffer.from(given.stdin ?? ''),
    ...given,
  };
  const code = await runCommandLine(args, terminal);
  return { code, out, err };
}
