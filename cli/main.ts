import { buffer } from 'node:stream/consumers';
import { runCommandLine } from './command-line.ts';
import { EXIT, type Terminal } from './output.ts';

const { stdout, stderr, stdin } = process;

const terminal: Terminal = {
  out: (text) => stdout.write(text),
  err: (text) => stderr.write(text),
  tty: stdout.isTTY === true,
  columns: stdout.columns || 120,
  env: process.env,
  cwd: process.cwd(),
  readInput: () => buffer(stdin),
};

// A reader that has seen enough (`| head`) closes the pipe: that is no failure.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed));

process.once('SIGINT', () => {
  stderr.write('\nstopped; runs go on without being watched\n');
  process.exit(EXIT.interrupted);
});

process.exitCode = await runCommandLine(process.argv.slice(2), terminal);
