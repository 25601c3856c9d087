import type { AskView, QuestionView } from '../shared/ask-view.ts';
import { argumentsOf } from './arguments.ts';
import { html, type Markup, textOf } from './html.ts';
import { excerpt, oneLine, type Room, unlinked } from './plain-text.ts';
import { deadline } from './times.ts';
import { headline, named, subjectOf } from './words.ts';

/** A mail about an ask. It asks to look, and nothing in it acts. */
export interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The longest subject, characters. */
const MAX_SUBJECT = 150;
const MAX_QUESTIONS = 10;
const MAX_ARGUMENTS = 12;
/** What a mail shows of one text; the page has the rest. */
const ROOM: Room = { characters: 300, lines: 6 };

/** What a mail says of one question: text that others wrote is in `written`, line by line. */
interface Part {
  readonly title: string;
  readonly written: readonly { readonly by: string; readonly lines: readonly string[] }[];
}

const CUT = '[cut; the page shows all]';
const NOTES = [
  'Lines with a bar were written by the model or quote it: they are shown as plain text, and their addresses are broken up (“[.]”) so that they are no links.',
  'Opening the link decides nothing. Whoever has it can answer in your name: do not forward this mail.',
];

/** The mail that tells a person of an ask. `link` is the address of its page, and the only link. */
export function askMail({ view, now, link }: { readonly view: AskView; readonly now: number; readonly link: string }): Mail {
  const parts = view.questions.slice(0, MAX_QUESTIONS).map((question, i) => partOf(question, i, view.questions.length));
  const left = view.questions.length - parts.length;
  const who = `Asked by agent ${named(view.agent)}, run ${oneLine(view.runId, 64)}. Answer ${deadline(view.expiresAt, now)}.`;
  const rest = left > 0 ? [`… and ${left} more, on the page.`] : [];
  const title = unlinked(headline(view));
  return {
    subject: subjectLine(view),
    text: asText(title, [unlinked(who), ...rest], parts, link),
    html: asHtml(title, [unlinked(who), ...rest], parts, link),
  };
}

/** One line that names what is asked; a call's tool and the agent are in it. */
function subjectLine(view: AskView): string {
  const asked = headline(view);
  const others = [...new Set(view.questions.map(subjectOf))].filter((subject) => view.questions.length > 1 && !asked.includes(subject));
  const line = [asked, others.join(', ')].join(' ');
  return oneLine(`${view.questions.some(({ risk }) => risk === 'high') ? 'High risk: ' : ''}${line}`, MAX_SUBJECT);
}

function partOf(question: QuestionView, i: number, count: number): Part {
  const place = count > 1 ? `${i + 1} of ${count}: ` : '';
  const title = unlinked(`${place}${subjectOf(question)}${question.risk === 'high' ? ' (high risk)' : ''}`);
  const given = argumentLines(question);
  const args =
    question.input === undefined ? [] : [{ by: given.length > 0 ? 'Arguments, written by the model' : 'No arguments', lines: given }];
  return { title, written: [...args, { by: 'Why it is asked; it may quote the model', lines: linesOf(question.text) }] };
}

function argumentLines({ input }: QuestionView): string[] {
  const all = argumentsOf(input);
  const lines = all.slice(0, MAX_ARGUMENTS).flatMap(({ key, value }) => keyed(unlinked(oneLine(key, 60)), linesOf(value)));
  return all.length > MAX_ARGUMENTS ? [...lines, `… and ${all.length - MAX_ARGUMENTS} more ${CUT}`] : lines;
}

const keyed = (key: string, lines: readonly string[]): string[] =>
  lines.length > 1 ? [`${key}:`, ...lines.map((line) => `  ${line}`)] : [`${key}: ${lines[0] ?? ''}`];

function linesOf(text: string): string[] {
  const { text: kept, cut } = excerpt(text, ROOM);
  return [...unlinked(kept).split('\n'), ...(cut ? [CUT] : [])];
}

function asText(title: string, facts: readonly string[], parts: readonly Part[], link: string): string {
  const shown = parts.map(({ title: about, written }) =>
    [about, ...written.flatMap(({ by, lines }) => [`  ${by}`, ...lines.map((line) => `  | ${line}`)])].join('\n'),
  );
  return `${[title, facts.join('\n'), ...shown, `Look at it and decide:\n${link}`, NOTES.join('\n')].join('\n\n')}\n`;
}

const BODY = 'margin:0;padding:16px;background:#ffffff;color:#1c1b19;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif';
const BOX = 'margin:0 0 12px;padding:8px 12px;border-left:3px solid #8a8577;background:#f4f2ec';
const PRE =
  'margin:0;white-space:pre-wrap;overflow-wrap:anywhere;word-break:break-word;font:14px/1.45 ui-monospace,Menlo,Consolas,monospace';

const asHtml = (title: string, facts: readonly string[], parts: readonly Part[], link: string): string =>
  textOf(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no"><title>${title}</title></head>
<body style="${BODY}"><div style="max-width:640px;margin:0 auto">
<h1 style="margin:0 0 12px;font-size:20px;line-height:1.3">${title}</h1>
${facts.map(
  (fact) => html`<p style="margin:0 0 12px">${fact}</p>
`,
)}
${parts.map(asSection)}
<p style="margin:0 0 16px"><a href="${link}" target="_blank" rel="noopener noreferrer" style="color:#0b5394;font-weight:600">Look at it and decide</a></p>
${NOTES.map(
  (note) => html`<p style="margin:0 0 8px;font-size:13px;color:#5c584e">${note}</p>
`,
)}
</div></body></html>
`);

const asSection = ({ title, written }: Part): Markup => html`<h2 style="margin:16px 0 8px;font-size:16px">${title}</h2>
${written.map(
  ({ by, lines }) => html`<div style="${BOX}"><p style="margin:0 0 4px;font-size:13px;color:#5c584e">${by}</p>
<pre style="${PRE}">${lines.join('\n')}</pre></div>
`,
)}`;
