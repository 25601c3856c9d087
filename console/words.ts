import type { AskState, AskView, QuestionView } from '../shared/ask-view.ts';
import type { AskKind, Decision } from '../shared/record.ts';
import { oneLine } from './plain-text.ts';

/** The runtime's own sentences: pages and mail say the same thing in the same words. */

/** A name for the middle of a sentence. A model may call a tool by any text: what is no plain name stands in quotes. */
export const named = (name: string): string => (/^[\w-]{1,64}$/.test(name) ? name : `“${oneLine(name, 60)}”`);

/** What a question is about. */
export const subjectOf = ({ tool }: QuestionView): string => (tool === undefined ? 'the run' : named(tool));

/** Whether anything may be sent as an answer now: nobody answers when it is too late, also when that is not recorded yet. */
export function stateAt({ state, expiresAt }: AskView, now: number): AskState {
  return state.is === 'open' && expiresAt !== undefined && now >= expiresAt ? { is: 'expired', at: expiresAt } : state;
}

/** The ask in one sentence. */
export function headline({ agent, kind, questions }: AskView): string {
  const tools = questions.flatMap(({ tool }) => (tool === undefined ? [] : [named(tool)]));
  return HEADLINES[kind](named(agent), callsInWords(tools), tools.length > 1);
}

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
  question: (agent) => `${agent} has a question`,
  callback: (agent, what) => `${agent} waits for the result of ${what ?? 'a call'}`,
  restart: (agent) => `Restart this run of ${agent}?`,
};

/** What a decision is called, and what it leads to. */
export interface Choice {
  readonly label: string;
  readonly means: string;
}

/** The words for a decision about a question. */
export const choiceOf = (decision: Decision, { kind }: Pick<QuestionView, 'kind'>): Choice =>
  kind === 'question' && decision === 'result' ? { label: 'Answer', means: 'The agent gets what you write.' } : CHOICES[decision];

const CHOICES: Record<Decision, Choice> = {
  approve: { label: 'Approve', means: 'It runs, with exactly these arguments.' },
  deny: { label: 'Deny', means: 'It does not run. The agent is told so, with your comment.' },
  done: { label: 'It was done', means: 'It took effect and does not run again. Give its output if you know it.' },
  'not-done': { label: 'It was not done', means: 'It had no effect and may run.' },
  retry: { label: 'Retry', means: 'It is tried again.' },
  result: { label: 'Give the result', means: 'It does not run. The agent gets what you write as its output.' },
  skip: { label: 'Skip', means: 'It does not run. The agent goes on, with your comment.' },
  abort: { label: 'Abort the run', means: 'The run ends here, as failed.' },
  expired: { label: 'Expired', means: 'Nobody answered in time.' },
};
