import { Command, CommanderError, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import type { Context } from './action.ts';
import { RefusedError, UnreachableError } from './client.ts';
import { addAgents } from './commands/agents.ts';
import { addAnswer } from './commands/answer.ts';
import { addAsks } from './commands/asks.ts';
import { addBranches } from './commands/branch.ts';
import { addBudget } from './commands/budget.ts';
import { addErase } from './commands/erase.ts';
import { addExport } from './commands/export.ts';
import { addFiles } from './commands/files.ts';
import { addLs } from './commands/ls.ts';
import { addMessage } from './commands/message.ts';
import { addNotices } from './commands/notices.ts';
import { addPins } from './commands/pin.ts';
import { addRun } from './commands/run.ts';
import { addServe } from './commands/serve.ts';
import { addShow } from './commands/show.ts';
import { addSteering } from './commands/steer.ts';
import { addSummaries } from './commands/summaries.ts';
import { addVersions } from './commands/versions.ts';
import { addWatch } from './commands/watch.ts';
import { EXIT, printJson, sentenceOf, type Terminal, UsageError } from './output.ts';

const EXIT_CODES = `
Exit codes:
  0  done; with run and watch: the run completed
  1  the service or AWS refused, or the run failed or was cancelled
  2  the command was used wrongly
  3  the service cannot be reached
  4  the run needs somebody: an answer, or "holdfast resume"

The service is found by --url or --stack, else HOLDFAST_URL, else HOLDFAST_STACK, else in .holdfast/data here, else at
http://127.0.0.1:4545. Requests to a deployment on AWS are signed with the usual AWS credentials, or bear HOLDFAST_TOKEN.`;

/** Runs one command line (without program name) and returns its exit code. Never throws. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = EXIT.ok;
  const program = programFor({ terminal, exit: (given) => (code = given) });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    return failure(error, terminal, program.opts<{ json?: boolean }>().json ?? false);
  }
}

function programFor(context: Context): Command {
  const { out, err } = context.terminal;
  const program = new Command('holdfast')
    .description('Run AI agents that survive: start runs, watch them, answer what they ask.')
    .version(manifest.version)
    .option('--json', 'print JSON for programs: one document, or one line for each record when watching')
    .option('--url <url>', 'address of the service')
    .addOption(new Option('--stack <name>', 'the CloudFormation stack that the service was deployed as').conflicts('url'))
    .option('--region <region>', 'AWS region (default: AWS_REGION, or that of the profile)')
    .option('--sign', 'sign requests with AWS credentials (default with --stack, and at execute-api addresses)')
    .addOption(new Option('--token <token>', 'send this bearer token instead (better in HOLDFAST_TOKEN)').conflicts('sign'))
    .configureOutput({ writeOut: out, writeErr: err, outputError: (text, write) => write(text.replace(/^error: /, '')) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('See "holdfast --help", or --help after the command.')
    .addHelpText('after', EXIT_CODES)
    .exitOverride();
  const adders = [
    addRun,
    addLs,
    addShow,
    addFiles,
    addWatch,
    addAsks,
    addAnswer,
    addNotices,
    addMessage,
    addSteering,
    addPins,
    addSummaries,
    addBranches,
    addBudget,
    addErase,
    addExport,
    addAgents,
    addVersions,
    addServe,
  ];
  for (const add of adders) add(program, context);
  return program;
}

/** Says in one sentence what went wrong, and returns the exit code for it. */
function failure(error: unknown, terminal: Terminal, json: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 || error.code === 'commander.helpDisplayed' ? EXIT.ok : EXIT.usage;
  if (json)
    printJson(terminal, { error: { message: sentenceOf(error), ...(error instanceof RefusedError ? { problem: error.problem } : {}) } });
  terminal.err(`${sentenceOf(error)}\n`);
  if (error instanceof UsageError) return EXIT.usage;
  return error instanceof UnreachableError ? EXIT.unreachable : EXIT.failed;
}
