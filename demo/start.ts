import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient } from '../cli/client.ts';
import { follow } from '../cli/follow.ts';
import { paintFor, printLines, tableLines } from '../cli/output.ts';
import { processTerminal } from '../cli/process-terminal.ts';
import { lineFollower } from '../cli/watching.ts';
import { type Host, startHost } from '../infra/local/host.ts';
import type { RunSummary } from '../shared/api.ts';
import { type Provider, startProvider } from './provider.ts';

/** `npm start`: the service, a payment provider, and one run to look at; started again, it shows what was not over. */

const DEFAULT_PORT = 4545;
/** How long steps in flight may go on after Ctrl-C, ms. */
const GRACE_MS = 3_000;

const { values } = parseArgs({ options: { 'data-dir': { type: 'string' }, port: { type: 'string' } } });
const dataDir = values['data-dir'] ?? join(process.cwd(), '.holdfast', 'data');
const terminal = processTerminal();
const paint = paintFor(terminal);
const say = (...lines: string[]) => printLines(terminal, lines);

async function main(): Promise<void> {
  const provider = await startProvider(join(dataDir, 'payment-provider'));
  const host = await startService(provider).catch((error: unknown) => {
    if (provider.isNew) provider.stop();
    throw error;
  });
  stopOnSignal(host, provider);
  say(
    `${paint('bold', 'Holdfast')} is at ${host.url} (process ${process.pid})`,
    `The payment provider is process ${provider.pid}; what it booked is in ${provider.ledgerFile}`,
    paint('dim', modelText(process.env)),
    '',
  );
  await show(host);
  say('', 'The service goes on until Ctrl-C. Start another run with:', '  npx holdfast run refund-desk "Refund B-2002, it arrived broken"');
}

function modelText({ HOLDFAST_MODEL, ANTHROPIC_API_KEY }: NodeJS.ProcessEnv): string {
  if (HOLDFAST_MODEL) return `The model of new runs is ${HOLDFAST_MODEL}.`;
  return ANTHROPIC_API_KEY ? 'The model of new runs is that of their agent.' : 'No ANTHROPIC_API_KEY is set: a script plays the model.';
}

async function startService({ url }: Provider): Promise<Host> {
  const options = { dataDir, environment: { PAYMENT_PROVIDER_URL: url } };
  if (values.port !== undefined) return startHost({ ...options, port: Number(values.port) });
  return startHost({ ...options, port: DEFAULT_PORT }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return startHost({ ...options, port: 0 });
  });
}

function stopOnSignal(host: Host, provider: Provider): void {
  const stop = () => {
    say('', 'Stopping; what is not over goes on at the next start.');
    process.once('SIGINT', () => process.exit(1)).once('SIGTERM', () => process.exit(1));
    void host.stop(GRACE_MS).finally(() => {
      provider.stop();
      process.exit(0);
    });
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
}

/** Follows what was not over, one run after the other; when there is nothing, starts one. */
async function show(host: Host): Promise<void> {
  const unfinished = await unfinishedRuns(host);
  if (unfinished.length > 0) {
    say(`${paint('bold', 'Not over when the service last ended; going on:')}`);
    say(
      ...tableLines(
        ['run', 'agent', 'status', 'reason'],
        unfinished.map((run) => [run.runId, run.agent, run.status, run.reason]),
        paint,
      ),
      '',
    );
  }
  const runIds = unfinished.length > 0 ? unfinished.map(({ runId }) => runId) : [await startRun(host)];
  for (const runId of runIds) await showRun(host, runId);
}

async function unfinishedRuns({ url }: Host): Promise<RunSummary[]> {
  const statuses = ['running', 'waiting', 'interrupted'];
  const pages = await Promise.all(statuses.map((status) => createClient(url).runs({ status })));
  return pages.flatMap(({ runs }) => runs).sort((a, b) => b.createdAt - a.createdAt);
}

const REQUEST = { customer: 'Ada Martin', request: 'The lamp (A-1001) and the desk (A-1002) arrived damaged. Please refund both.' };

async function startRun({ url }: Host): Promise<string> {
  const { runId } = await createClient(url).start({ agent: 'refund-desk', input: REQUEST }, randomUUID());
  return runId;
}

async function showRun({ url }: Host, runId: string): Promise<void> {
  say(paint('dim', `run ${runId}`));
  const { record, run } = lineFollower({ terminal, paint }, runId, false);
  let hinted = false;
  const hint = (summary: RunSummary) => {
    run?.(summary);
    if (summary.ask && !hinted) say(...hints(summary.ask.id));
    hinted ||= summary.ask !== undefined;
  };
  await follow({ client: () => createClient(url), runId, stay: true, patienceSeconds: 30 }, { record, run: hint });
}

/** What can be done now, each with what it is for. */
function hints(askId: string): string[] {
  const commands = [
    [`npx holdfast answer ${askId} --yes`, 'consent (or --no)'],
    ['npx holdfast ls', 'see all runs'],
    [`kill -9 ${process.pid}`, 'kill this service; nothing is lost'],
    ['npm start', 'go on where it stood'],
  ] as const;
  const width = Math.max(...commands.map(([command]) => command.length));
  const lines = commands.map(([command, meaning]) => `  ${command.padEnd(width)}   ${paint('dim', meaning)}`);
  return ['', 'The run waits for you, for as long as it takes. In another terminal:', ...lines, ''];
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
