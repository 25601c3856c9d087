import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RunSummary, ShownSummary } from '../../shared/api.ts';
import { action, type Context } from '../action.ts';
import { cleanText, oneLine } from '../clean.ts';
import { duration, EXIT, type Paint, printJson, printLines, UsageError } from '../output.ts';
import { actor, findRun, type Session } from '../session.ts';
import { costText } from '../status.ts';

interface Options {
  readonly discard?: number;
  readonly remake?: number;
  readonly show?: number;
  readonly by?: string;
}

const HELP = `
A long run shows its model a summary in place of its older records. What the model wrote, and the facts beside it, are
written out for the summary in use, or for the one that --show names. The records stay as they are: a summary that is
thrown away is made again by the next model step, when the run cannot do without (--discard) or in any case (--remake).`;

/** Adds `summaries`: what a run's model is shown in place of older records. */
export function addSummaries(program: Command, context: Context): void {
  program
    .command('summaries')
    .description('show the summaries that stand in place of the older records of a run, or throw one away')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .option('--show <seq>', 'write out the summary up to this record, in place of the one in use', seqOf)
    .option('--discard <seq>', 'throw the newest summary away, the one up to this record', seqOf)
    .addOption(new Option('--remake <seq>', 'throw it away, and have another made in its place').argParser(seqOf).conflicts('discard'))
    .option('--by <name>', 'who does it (default: your account)')
    .addHelpText('after', HELP)
    .action(action<[string], Options>(context, perform));
}

function seqOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be the number of a record.');
}

async function perform(session: Session, { discard, remake, show, by = actor() }: Options, text: string): Promise<number> {
  const runId = await findRun(session, text);
  const seq = remake ?? discard;
  if (seq !== undefined) {
    const { summary, run } = await session.client().discardSummary(runId, seq, by, remake !== undefined);
    if (session.json) printJson(session.terminal, { run, summary });
    else printLines(session.terminal, [`${runId}: the summary up to record ${seq} is thrown away; no record has changed`, startOf(run)]);
    return EXIT.ok;
  }
  const { run, summaries } = await allOf(session, runId);
  if (show !== undefined && !summaries.some((each) => each.seq === show))
    throw new UsageError(`Cannot show the summary up to record ${show}: run "${runId}" has none; "summaries ${runId}" lists them`);
  if (session.json) printJson(session.terminal, { summaries: summaries.filter((each) => show === undefined || each.seq === show) });
  else if (summaries.length === 0) printLines(session.terminal, ['no summaries: the model is shown every record']);
  else printLines(session.terminal, [...summaries.flatMap((each) => linesOf(each, show, session.paint)), startOf(run)]);
  return EXIT.ok;
}

/** They come in pages, the newest first. */
async function allOf(session: Session, runId: string): Promise<{ run: RunSummary; summaries: ShownSummary[] }> {
  const { run, ...page } = await session.client().summaries(runId);
  let { summaries, before } = page;
  while (before !== undefined) {
    const older = await session.client().summaries(runId, before);
    summaries = [...older.summaries, ...summaries];
    before = older.before;
  }
  return { run, summaries };
}

/** What the next request to the model begins with. */
const startOf = ({ summarizedTo }: RunSummary): string =>
  summarizedTo === undefined
    ? 'the model is shown every record again, until the next summary'
    : `the model is shown the summary of records 2 to ${summarizedTo}, and every record after them`;

function linesOf(summary: ShownSummary, show: number | undefined, paint: Paint): string[] {
  const { seq, version, at, model, usage, costUsd, tokens, replacedTokens, current, discarded, text, facts } = summary;
  const state = discarded ? `thrown away by ${oneLine(discarded.by, 80)}` : current ? 'in use' : 'kept';
  const made = `version ${version}, ${duration(Date.now() - at)} ago by ${oneLine(model, 80)}`;
  const cost = `${usage.inputTokens} in, ${usage.outputTokens} out tokens, ${costText({ costUsd })}`;
  const whole = show === undefined ? current : seq === show;
  return [
    `records 2 to ${seq} ${paint(current ? 'green' : 'dim', state)}`,
    paint('dim', `  ${made}; ${cost}; about ${tokens} tokens in place of ${replacedTokens}`),
    ...(whole ? [text, facts].filter((part) => part !== '').flatMap((part) => [...indented(part), '']) : []),
  ];
}

const indented = (text: string): string[] =>
  cleanText(text)
    .split('\n')
    .map((line) => `  ${line}`);
