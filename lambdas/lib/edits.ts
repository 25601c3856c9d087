import { isEditable } from '../../shared/ask-view.ts';
import { concealEdit, maskFault } from '../../shared/conceal.ts';
import { ProblemError } from '../../shared/errors.ts';
import { canonical, type Json } from '../../shared/json.ts';
import { callsAsRun } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import type { AnswerTo, Ask, Call, Edit, Reply } from '../../shared/record.ts';
import { placesOf, restored, textsOf, valueAt, withoutTexts } from '../../shared/secrets.ts';
import { openAsk } from '../../shared/standing.ts';
import { agentOf } from './agents.ts';
import { hashFor } from './call-hash.ts';
import { hideInAnswers } from './hide-answers.ts';
import type { Case } from './judge.ts';
import { judgeEdit } from './judge-edit.ts';
import { readLog } from './log-store.ts';
import type { GivenPin } from './repin.ts';
import { type KeptSecrets, keepSecrets, readSecrets } from './secret-store.ts';

/** An answer as it is sent: consent may come with other arguments (`input`) than those asked about, a `repin` with a model. */
export type GivenAnswer = Omit<AnswerTo, 'edit'> & { readonly input?: Json; readonly model?: string };

/** Turns what was sent into answers, without secrets. Throws a 400 problem for arguments with which the call may not run. */
export async function withEdits({ runId, agent }: Meta, ask: Ask, given: readonly GivenAnswer[]): Promise<GivenPin[]> {
  if (given.every(({ input, output, comment }) => input === undefined && output === undefined && comment === undefined))
    return given.map(({ input: _, ...answer }) => answer);
  if (given.every(({ input }) => input === undefined)) return hideInAnswers(runId, ask, given);
  const log = await readLog(runId);
  const reply = log[(ask.reply ?? 0) - 1] as Reply | undefined;
  if (!reply) throw notAlone();
  const known = agentOf(agent);
  const run = { runId, agent: known, log: log.slice(0, reply.seq - 1), hash: await hashFor(known) };
  const calls = callsAsRun(log, reply);
  const open = openAsk(log)?.seq === ask.seq;
  const answers: AnswerTo[] = [];
  for (const { input, ...answer } of given) {
    const edit = input === undefined ? undefined : await edited(run, { ...reply, calls }, { ask, open }, answer, input);
    if (edit) Object.assign(calls.find(({ index }) => index === answer.index) ?? {}, edit);
    answers.push({ ...answer, ...(edit ? { edit } : {}) });
  }
  return hideInAnswers(runId, ask, answers);
}

/** An ask, and whether it still takes answers. */
interface Asking {
  readonly ask: Ask;
  readonly open: boolean;
}

async function edited(
  run: Case,
  reply: Reply,
  { ask, open }: Asking,
  { index, decision }: Omit<AnswerTo, 'edit'>,
  input: Json,
): Promise<Edit | undefined> {
  const question = ask.questions.find((each) => each.index === index);
  const call = reply.calls.find((each) => each.index === index);
  if (!question || !call || decision !== 'approve' || !isEditable(question)) throw notAlone();
  if (canonical(input) === canonical(question.input ?? null)) return undefined;
  const { edit, kept } = await judgedEdit(run, reply, call, input);
  // Of an answer that comes too late nothing is kept: nobody would remove it.
  if (open && edit.secrets) await keepSecrets(run.runId, reply.seq, [kept]);
  return edit;
}

/** Judges other arguments with their secrets: where a mask was left standing, the call's own. These are taken out, to be kept. */
async function judgedEdit(run: Case, reply: Reply, call: Call, input: Json): Promise<{ edit: Edit; kept: KeptSecrets }> {
  const whole = restored(input, (await readSecrets(run.runId, reply.seq, call)) ?? {});
  const marks = run.agent.tools.find(({ name }) => name === call.tool)?.secrets ?? [];
  const judged = judgeEdit(run, reply, call, whole);
  const fault = maskFault(marks, whole) ?? ('invalid' in judged ? judged.invalid : undefined);
  if (fault !== undefined || 'invalid' in judged)
    throw wrong(withoutTexts(fault ?? '', textsOf(placesOf(marks, whole).map((at) => valueAt(whole, at) ?? null))));
  const { edit, secrets } = concealEdit(marks, judged);
  return { edit, kept: { index: call.index, inputHash: edit.inputHash, secrets } };
}

const wrong = (why: string) => new ProblemError(400, 'Invalid arguments', `input: ${why}`, 'input');
const notAlone = () => wrong('only consent that one person gives alone may come with other arguments');
