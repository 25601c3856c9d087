import { runCommandLine } from './command-line.ts';
import { EXIT } from './output.ts';
import { processTerminal } from './process-terminal.ts';

// A reader that has seen enough (`| head`) closes the pipe: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed));

process.once('SIGINT', () => {
  process.stderr.write('\nstopped; runs go on without being watched\n');
  process.exit(EXIT.interrupted);
});

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
