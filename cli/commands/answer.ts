import { type Command, Option } from 'commander';
import type { AnswerRequest } from '../../shared/api.ts';
import { type Ask, type Decision, decision } from '../../shared/record.ts';
import { parseAskId } from '../../shared/tables.ts';
import { action, type Context } from '../action.ts';
import { oneLine } from '../clean.ts';
import { type Choice, requestOf } from '../decisions.ts';
import { EXIT, printJson, printLines, UsageError } from '../output.ts';
import { actor, askIdOf, type Session } from '../session.ts';

interface Options {
  readonly yes?: boolean;
  readonly no?: boolean;
  readonly decision?: Decision;
  readonly comment?: string;
  readonly output?: string;
  readonly answer?: string;
  readonly raise?: string;
  readonly input?: string;
  readonly model?: string;
  readonly by?: string;
  readonly call?: readonly string[];
}

/** Adds `answer`: answers an ask, all its questions alike or each by itself. */
export function addAnswer(program: Command, context: Context): void {
  program
    .command('answer')
    .description('answer an ask; --yes means approve or done, --no means deny or not-done')
    .argument('<ask|run>', 'id of the ask, or of the run that waits for it')
    .addOption(new Option('--yes', 'approve, or: it was done').conflicts(['no', 'decision']))
    .addOption(new Option('--no', 'deny, or: it was not done').conflicts(['yes', 'decision']))
    .addOption(new Option('--decision <decision>', 'any answer that the ask takes').choices(decision.options))
    .addOption(new Option('--answer <text>', 'the answer to a question').conflicts(['yes', 'no', 'decision', 'output']))
    .addOption(
      new Option('--raise <amount>', 'raise the limit that is reached, by so much').conflicts(['yes', 'no', 'decision', 'answer', 'call']),
    )
    .option('--input <json>', 'other arguments to consent to, with --yes')
    .option('--model <provider/id>', "the model to go on with, with --decision repin, where the run's own is no more")
    .option('--call <n>', 'only the question about call n; "n=decision" may be said once for each question', collected)
    .option('--output <json>', 'the result you vouch for, with done and result')
    .option('--comment <text>', 'why, for the log and the model')
    .option('--by <name>', 'who answers (default: your account)')
    .action(action<[string], Options>(context, answer));
}

async function answer(session: Session, options: Options, text: string): Promise<number> {
  const { id, ask } = await findAsk(session, text);
  const request: AnswerRequest = { by: options.by ?? actor(), ...requestOf(ask, options as Choice) };
  const answered = await session.client().answer(id, request);
  if (session.json) printJson(session.terminal, answered);
  else printLines(session.terminal, [`answered ${id}; follow the run with: npx holdfast watch ${answered.run.runId}`]);
  return EXIT.ok;
}

/** Finds the ask by its own id, or by the run that waits for it. */
async function findAsk(session: Session, text: string): Promise<{ id: string; ask: Ask }> {
  const id = await askIdOf(session, text, 'answer');
  const { runId, seq } = parseAskId(id) as { runId: string; seq: number };
  const { records } = await session.client().records(runId, { after: seq - 1, limit: 1 });
  const [ask] = records;
  if (ask?.type !== 'ask' || ask.seq !== seq)
    throw new UsageError(`Cannot answer "${oneLine(text, 60)}": there is no such ask; see "holdfast asks"`);
  return { id, ask };
}

const collected = (text: string, before: readonly string[] = []): string[] => [...before, text];
