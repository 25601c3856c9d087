import type { AskState, AskView } from '../shared/ask-view.ts';
import { html, type Markup } from './html.ts';
import { oneLine } from './plain-text.ts';
import { moment } from './times.ts';
import { choiceOf, subjectOf } from './words.ts';
import { written } from './written.ts';

type Answered = Extract<AskState, { is: 'answered' }>;

/** What became of an ask that takes no answer any more. */
export function askOutcome(view: AskView, state: AskState): Markup {
  switch (state.is) {
    case 'answered':
      return notice(`Answered by ${oneLine(state.by, 200)} on ${moment(state.at)}`, decisions(view, state));
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
      return notice('Open', html`<p>This ask waits for an answer.</p>`);
  }
}

const notice = (title: string, below: Markup): Markup => html`<section class="notice" role="status"><h2>${title}</h2>
${below}
</section>`;

function decisions({ questions }: AskView, { decisions: given }: Answered): Markup {
  const items = given.map(({ index, decision }) => {
    const question = questions.find((each) => each.index === index);
    const about = question ? subjectOf(question) : index === undefined ? 'the run' : `call ${index}`;
    return html`<li>${about}: <strong>${choiceOf(decision, question ?? { kind: 'approval' }).label}</strong></li>
`;
  });
  const comments = [...new Set(given.flatMap(({ comment }) => (comment === undefined ? [] : [comment])))];
  return html`<ul>
${items}</ul>
${comments.map((comment) => written('Comment, written by who answered', comment))}`;
}
