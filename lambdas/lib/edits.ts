import { isEditable } from '../../shared/ask-view.ts';
import { ProblemError } from '../../shared/errors.ts';
import { canonical, type Json } from '../../shared/json.ts';
import { callsAsRun } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import type { AnswerTo, Ask, Edit, Reply } from '../../shared/record.ts';
import { agentOf } from './agents.ts';
import type { Case } from './judge.ts';
import { judgeEdit } from './judge-edit.ts';
import { readLog } from './log-store.ts';

/** An answer as it is sent: consent may come with other arguments (`input`) than those asked about. */
export type GivenAnswer = Omit<AnswerTo, 'edit'> & { readonly input?: Json };

/** Turns what was sent into answers. Throws a 400 problem for arguments with which the call may not run. */
export async function withEdits({ runId, agent }: Meta, ask: Ask, given: readonly GivenAnswer[]): Promise<AnswerTo[]> {
  if (given.every(({ input }) => input === undefined)) return given.map(({ input: _, ...answer }) => answer);
  const log = await readLog(runId);
  const reply = log[(ask.reply ?? 0) - 1] as Reply | undefined;
  if (!reply) throw notAlone();
  const run = { runId, agent: agentOf(agent), log: log.slice(0, reply.seq - 1) };
  const calls = callsAsRun(log, reply);
  return given.map(({ input, ...answer }) => {
    const edit = input === undefined ? undefined : edited(run, { ...reply, calls }, ask, answer, input);
    if (edit) Object.assign(calls.find(({ index }) => index === answer.index) ?? {}, edit);
    return { ...answer, ...(edit ? { edit } : {}) };
  });
}

function edited(run: Case, reply: Reply, ask: Ask, { index, decision }: Omit<AnswerTo, 'edit'>, input: Json): Edit | undefined {
  const question = ask.questions.find((each) => each.index === index);
  const call = reply.calls.find((each) => each.index === index);
  if (!question || !call || decision !== 'approve' || !isEditable(question)) throw notAlone();
  if (canonical(input) === canonical(question.input ?? null)) return undefined;
  const judged = judgeEdit(run, reply, call, input);
  if ('invalid' in judged) throw wrong(judged.invalid);
  return judged;
}

const wrong = (why: string) => new ProblemError(400, 'Invalid arguments', `input: ${why}`, 'input');
const notAlone = () => wrong('only consent that one person gives alone may come with other arguments');
