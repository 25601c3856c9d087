import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ShownSummary } from '../../shared/api.ts';
import { action, type Context } from '../action.ts';
import { cleanText } from '../clean.ts';
import { duration, EXIT, type Paint, printJson, printLines } from '../output.ts';
import { actor, findRun, type Session } from '../session.ts';

interface Options {
  readonly discard?: number;
  readonly remake?: number;
  readonly by?: string;
}

const HELP = `
A long run shows its model a summary in place of its older records. The records stay as they are: a summary that is thrown away
is made again by the next model step, when the run cannot do without (--discard) or in any case (--remake).`;

/** Adds `summaries`: what a run's model is shown in place of older records. */
export function addSummaries(program: Command, context: Context): void {
  program
    .command('summaries')
    .description('show the summaries that stand in place of the older records of a run, or throw one away')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .option('--discard <seq>', 'throw the summary up to this record away', seqOf)
    .addOption(new Option('--remake <seq>', 'throw it away, and have another made in its place').argParser(seqOf).conflicts('discard'))
    .option('--by <name>', 'who does it (default: your account)')
    .addHelpText('after', HELP)
    .action(action<[string], Options>(context, perform));
}

function seqOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be the number of a record.');
}

async function perform(session: Session, { discard, remake, by = actor() }: Options, text: string): Promise<number> {
  const runId = await findRun(session, text);
  const seq = remake ?? discard;
  if (seq !== undefined) {
    const { summary, run } = await session.client().discardSummary(runId, seq, by, remake !== undefined);
    if (session.json) printJson(session.terminal, { run, summary });
    else printLines(session.terminal, [`${runId}: the summary up to record ${seq} is thrown away; no record has changed`]);
    return EXIT.ok;
  }
  const { summaries } = await session.client().summaries(runId);
  if (session.json) printJson(session.terminal, { summaries });
  else printLines(session.terminal, summaries.length > 0 ? summaries.flatMap((each) => linesOf(each, session.paint)) : ['no summaries']);
  return EXIT.ok;
}

function linesOf(summary: ShownSummary, paint: Paint): string[] {
  const { seq, version, at, model, usage, tokens, replacedTokens, current, discarded, text, facts } = summary;
  const state = discarded ? `thrown away by ${cleanText(discarded.by)}` : current ? 'in use' : 'kept';
  const made = `version ${version}, ${duration(Date.now() - at)} ago by ${cleanText(model)}, ${usage.inputTokens} in, ${usage.outputTokens} out tokens`;
  return [
    `records 2 to ${seq} ${paint(current ? 'green' : 'dim', state)}`,
    paint('dim', `  ${made}; about ${tokens} tokens in place of ${replacedTokens}`),
    ...[text, facts]
      .filter((part) => part !== '')
      .flatMap((part) =>
        cleanText(part)
          .split('\n')
          .map((line) => `  ${line}`),
      ),
    '',
  ];
}
