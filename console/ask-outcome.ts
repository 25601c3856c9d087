import type { AskState, AskView, QuestionView } from '../shared/ask-view.ts';
import { html, type Markup } from './html.ts';
import { oneLine } from './plain-text.ts';
import { moment } from './times.ts';
import { amountOf, choiceOf, person, subjectOf, whyNothing } from './words.ts';

/** What became of an ask that takes no answer any more, or none from the one who looks. */
export function askOutcome(view: AskView, state: AskState): Markup {
  switch (state.is) {
    case 'answered':
      return notice(`Answered on ${moment(state.at)}`, html`<ul>${view.questions.map(lastWord)}</ul>`);
    case 'expired':
      return notice(
        `Expired on ${moment(state.at)}`,
        html`<p>Nobody answered in time, and that is not a yes: what needed consent does not run.</p>`,
      );
    case 'closed':
      return notice(
        `Closed: the run is ${oneLine(state.status, 40)}`,
        html`<p>Reason: ${oneLine(state.reason, 500)}. This ask takes no answer any more.</p>`,
      );
    case 'open':
      return notice('Nothing to answer now', html`<p>${whyNothing(view)}</p>`);
  }
}

const notice = (title: string, below: Markup): Markup => html`<section class="notice" role="status"><h2>${title}</h2>
${below}
</section>`;

/** What settled a question, and who said so; the question itself has all that was said. */
function lastWord(question: QuestionView): Markup {
  const last = question.said.at(-1);
  if (!last || !question.settled)
    return html`<li>${subjectOf(question)}: not answered</li>
`;
  const same = question.said.filter(({ decision }) => decision === last.decision).map(({ by }) => person(by));
  const label =
    last.edited === undefined
      ? choiceOf(last.decision, question).label
      : `${choiceOf(last.decision, question).label} with changed arguments`;
  return html`<li>${subjectOf(question)}: <strong>${label}${amountOf(last, question)}</strong>, ${[...new Set(same)].join(' and ')}</li>
`;
}
