import type { AskState, AskView, QuestionView, SaidView } from '../shared/ask-view.ts';
import { inWords } from '../shared/raise.ts';
import { eachOnce, isSamePerson } from '../shared/recipient.ts';
import type { AskKind, BudgetName, Decision } from '../shared/record.ts';
import { oneLine } from './plain-text.ts';
import { deadline, moment } from './times.ts';

/** The runtime's own sentences: pages and mail say the same thing in the same words. */

/** A name for the middle of a sentence. A model may call a tool by any text: what is no plain name stands in quotes. */
export const named = (name: string): string => (/^[\w-]{1,64}$/.test(name) ? name : `“${oneLine(name, 60)}”`);

/** What a question is about. */
export const subjectOf = ({ tool }: QuestionView): string => (tool === undefined ? 'the run' : named(tool));

/** A person in the middle of a sentence: what is no plain address or word stands in quotes. */
export const person = (by: string): string => (/^[\p{L}\p{N}.@_+-]{1,100}$/u.test(by) ? by : `“${oneLine(by, 100)}”`);

const MAX_PEOPLE = 5;

/** Names people of whom one is enough. */
export function oneOf(people: readonly string[]): string {
  const names = people.slice(0, MAX_PEOPLE).map(person);
  const more = people.length - names.length;
  const all = more > 0 ? [...names, `${more} more`] : names;
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} or ${all.at(-1)}` : (all[0] ?? 'nobody');
}

/** Whether more than one person must say yes. */
export const needsSeveral = ({ needs = 1 }: QuestionView): boolean => needs > 1;

/** How many people have said yes. */
export const yesses = ({ said }: QuestionView): number =>
  eachOnce(said.filter(({ decision }) => decision === 'approve').map(({ by }) => by)).length;

/** Tells whether it is too late for an answer that nobody gave. */
const isLate = ({ settled, expiresAt }: QuestionView, now: number): boolean => !settled && expiresAt !== undefined && now >= expiresAt;

/** Whether anything may be sent as an answer now: nobody answers when it is too late, also when that is not recorded yet. */
export function stateAt({ state, questions }: AskView, now: number): AskState {
  const open = questions.filter(({ settled }) => !settled);
  const isOver = state.is === 'open' && open.length > 0 && open.every((question) => isLate(question, now));
  return isOver ? { is: 'expired', at: Math.max(...open.map(({ expiresAt = 0 }) => expiresAt)) } : state;
}

/** An ask as it stands at a time: what is too late is nobody's to answer. */
export const asOf = (view: AskView, now: number): AskView => ({
  ...view,
  state: stateAt(view, now),
  questions: view.questions.map((question) => ({ ...question, mine: question.mine && !isLate(question, now) })),
});

/** Says where a question stands: who is waited for, and until when if that is not the deadline of the whole ask. */
export function standingWords(question: QuestionView, { expiresAt }: Pick<AskView, 'expiresAt'>, now: number): string[] {
  if (question.settled) return ['Settled.'];
  if (isLate(question, now)) return [`Time was up on ${moment(question.expiresAt as number)}: nobody answered.`];
  const count = needsSeveral(question) ? [`${yesses(question)} of ${question.needs} people have said yes.`] : [];
  const others = question.mine ? [] : [`Waits for ${waitedFor(question)}.`];
  const own = question.expiresAt === expiresAt ? [] : [`Open ${deadline(question.expiresAt, now)}.`];
  return [...count, ...others, ...own];
}

/** Who or what an open question waits for. */
export function waitedFor({ kind, approvers, said }: QuestionView): string {
  const left = approvers?.filter((address) => !said.some(({ by }) => isSamePerson(by, address)));
  if (left) return oneOf(left);
  if (kind === 'callback') return 'the result from outside';
  return said.length > 0 ? 'somebody else' : 'anybody who may answer';
}

/** Says to somebody who has nothing to answer in an open ask why that is so. */
export function whyNothing({ questions, recipient }: AskView): string {
  const open = questions.filter(({ settled }) => !settled);
  const mine = (list: readonly QuestionView[]) => list.filter(({ said }) => said.some(({ by }) => isSamePerson(by, recipient)));
  const missing = Math.max(0, ...mine(open).map((question) => (question.needs ?? 1) - yesses(question)));
  if (missing > 0) return `You have said yes; ${missing === 1 ? 'one more person is' : `${missing} more people are`} needed.`;
  const waits = `What is still open waits for ${[...new Set(open.map(waitedFor))].join(', and for ')}.`;
  return mine(questions).length > 0
    ? `You have answered all that was asked of you. ${waits}`
    : `Nothing here is asked of you now. ${waits}`;
}

/** The ask in one sentence. */
export function headline({ agent, kind, questions }: AskView): string {
  const [budget] = questions.flatMap((question) => question.budget ?? []);
  if (budget) return `${named(agent)} has reached its ${BUDGETS[budget.name]}`;
  const tools = questions.flatMap(({ tool }) => (tool === undefined ? [] : [named(tool)]));
  return HEADLINES[kind](named(agent), callsInWords(tools), tools.length > 1);
}

const BUDGETS: Record<BudgetName, string> = {
  'turn-limit': 'limit of turns',
  'time-limit': 'limit of time',
  'token-limit': 'limit of tokens',
  'cost-limit': 'limit of cost',
  'day-limit': 'limit for the day',
};

/** Names the calls of up to three tools, and counts the others. */
function callsInWords(tools: readonly string[]): string | undefined {
  const [first, ...others] = new Set(tools);
  if (others.length === 0) return tools.length > 1 ? `${first} ${tools.length} times` : first;
  if (others.length > 2 || others.length + 1 < tools.length) return `these ${tools.length} calls`;
  return `${[first, ...others.slice(0, -1)].join(', ')} and ${others.at(-1)}`;
}

const HEADLINES: Record<AskKind, (agent: string, what: string | undefined, many: boolean) => string> = {
  approval: (agent, what) => (what ? `May ${agent} run ${what}?` : `May ${agent} go on?`),
  'outcome-unknown': (agent, what, many) =>
    what ? `${many ? 'Were' : 'Was'} ${what} of ${agent} done?` : `How did the step of ${agent} end?`,
  escalation: (agent, what) => (what ? `${agent} is stuck at ${what}` : `${agent} is stuck`),
  question: (agent, _, many) => `${agent} has ${many ? 'questions' : 'a question'}`,
  callback: (agent, what, many) => `${agent} waits for the result${many ? 's' : ''} of ${what ?? 'a call'}`,
  restart: (agent) => `Restart this run of ${agent}?`,
};

/** What a decision is called, and what it leads to. */
export interface Choice {
  readonly label: string;
  readonly means: string;
}

/** The words for a decision about a question. */
export const choiceOf = (
  decision: Decision,
  { kind, editable, options, budget }: Pick<QuestionView, 'kind' | 'editable' | 'options' | 'budget'>,
): Choice => {
  if (decision === 'retry' && budget) return { label: 'Try again', means: LATER };
  if (decision === 'approve' && editable) return { label: 'Approve', means: EDITABLE };
  if (decision === 'result' && kind === 'question') return { label: 'Answer', means: options?.length ? CHOSEN : WRITTEN };
  return BY_KIND[kind]?.[decision] ?? CHOICES[decision];
};

const LATER = 'Nothing is raised: the run goes on if there is room by now, as on another day, and asks again if there is none.';
const EDITABLE = 'It runs, with exactly these arguments; if you change them below, with exactly the changed ones.';
const CHOSEN = 'The agent gets what you choose here. Choosing it is enough.';
const WRITTEN = 'The agent gets what you write here. Writing it is enough.';

const BY_KIND: Partial<Record<AskKind, Partial<Record<Decision, Choice>>>> = {
  question: { skip: { label: 'Decline', means: 'The agent goes on without an answer, with your comment.' } },
  callback: {
    result: { label: 'Give the result', means: 'The agent gets what you write as the output. The result from outside is not waited for.' },
    skip: { label: 'Skip', means: 'The result is not waited for. The agent goes on, with your comment.' },
  },
};

const CHOICES: Record<Decision, Choice> = {
  approve: { label: 'Approve', means: 'It runs, with exactly these arguments.' },
  deny: { label: 'Deny', means: 'It does not run. The agent is told so, with your comment.' },
  done: { label: 'It was done', means: 'It took effect and does not run again. Give its output if you know it.' },
  'not-done': { label: 'It was not done', means: 'It had no effect and may run.' },
  retry: { label: 'Retry', means: 'It is tried again.' },
  result: { label: 'Give the result', means: 'It does not run. The agent gets what you write as its output.' },
  skip: { label: 'Skip', means: 'It does not run. The agent goes on, with your comment.' },
  abort: { label: 'Abort the run', means: 'The run ends here, as failed.' },
  raise: { label: 'Raise the limit', means: 'The run goes on, until it has spent so much more.' },
  finish: {
    label: 'Finish up',
    means: 'The agent gets one last turn, without tools, to say what it has. Then the run ends, as completed.',
  },
  stop: {
    label: 'Stop here',
    means: 'The run ends here, as failed, with what the agent said last. It can be continued with a higher limit.',
  },
  expired: { label: 'Expired', means: 'Nobody answered in time.' },
  repin: { label: 'Go on with what is new', means: 'The run goes on, from here on with the changes that are named above.' },
  restart: { label: 'Restart as a new run', means: 'This run ends. A new one gets its input, and knows what was already done.' },
};

/** By how much a limit was raised. */
export const amountOf = ({ amount }: SaidView, { budget }: QuestionView): string =>
  amount === undefined || !budget ? '' : ` by ${inWords(budget.unit, amount)}`;

/** Who wrote the text of a question. */
export const authorOf = ({ kind }: QuestionView): string =>
  kind === 'question' ? 'Question, written by the model' : 'Why it is asked; it may quote the model';
