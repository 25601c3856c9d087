import type { Command } from 'commander';
import type { AskSummary } from '../../shared/api.ts';
import type { Answer } from '../../shared/record.ts';
import { action, type Context } from '../action.ts';
import { oneLine } from '../clean.ts';
import { noticeLine } from '../notices.ts';
import { duration, EXIT, printJson, printLines } from '../output.ts';
import type { Session } from '../session.ts';
import { questionLines } from '../timeline.ts';

/** Adds `asks`: what runs ask and nobody has answered. */
export function addAsks(program: Command, context: Context): void {
  program
    .command('asks')
    .description('list the open asks, with what is asked')
    .option('--limit <n>', 'at most so many (1 to 1000)')
    .option('--before <cursor>', 'the page after this one, as the last page said')
    .action(
      action<[], Options>(context, async (session, options) => {
        const page = await session.client().asks({ ...options });
        if (session.json) printJson(session.terminal, page);
        else printLines(session.terminal, pageLines(page.asks, page.next, session));
        return EXIT.ok;
      }),
    );
}

interface Options {
  readonly limit?: string;
  readonly before?: string;
}

function pageLines(asks: readonly AskSummary[], next: string | undefined, session: Session): string[] {
  const lines = asks.flatMap((ask) => askLines(ask, session));
  if (next !== undefined) return [...lines, session.paint('dim', `more: npx holdfast asks --before ${oneLine(next, 400)}`)];
  return lines.length > 0 ? lines : ['no open asks'];
}

function askLines({ id, agent, ask, answers, notices }: AskSummary, { paint }: Session): string[] {
  const head = `${paint('bold', id)}  ${oneLine(agent, 40)}  ${paint('yellow', ask.kind)} (${oneLine(ask.reason, 80)})  ${duration(Date.now() - ask.at)} old`;
  const questions = ask.questions.flatMap((question) => questionLines(question, { paint }));
  const told = [...answers.flatMap(answerLines), ...notices.map((notice) => noticeLine(notice, Date.now()))];
  return [head, ...[...questions, ...told.map((line) => paint('dim', line))].map((line) => `  ${line}`)];
}

const answerLines = ({ by, answers }: Answer): string[] =>
  answers.map(({ index, decision }) => `${index === undefined ? '' : `[${index}] `}${decision}, said ${oneLine(by, 80)}`);
