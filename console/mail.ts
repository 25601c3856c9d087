import type { AskView, QuestionView } from '../shared/ask-view.ts';
import { argumentsOf } from './arguments.ts';
import { html, type Markup, textOf } from './html.ts';
import { excerpt, oneLine, type Room, unlinked } from './plain-text.ts';
import { deadline } from './times.ts';
import { asOf, authorOf, headline, named, standingWords, subjectOf } from './words.ts';

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
const MAX_OPTIONS = 20;
/** What a mail shows of one text; the page has the rest. */
const ROOM: Room = { characters: 300, lines: 6 };

/** What a mail says of one question: text that others wrote is in `written`, line by line. */
interface Part {
  readonly title: string;
  /** The runtime's own words: how many people have said yes, and a deadline of its own. */
  readonly notes: readonly string[];
  readonly written: readonly { readonly by: string; readonly lines: readonly string[] }[];
}

const CUT = '[cut; the page shows all]';
const NOTES = [
  'Lines with a bar were written by the model or quote it: they are shown as plain text, and their addresses are broken up (“[.]”) so that they are no links.',
  'Opening the link decides nothing. Whoever has it can answer in your name: do not pass it on.',
];

/**
 * The mail that tells a person of what is asked of them; undefined when there is nothing for them to do, as with a result that
 * is awaited from outside. `link` is the address of the ask's page, and the only link.
 */
export function askMail({ view: given, now, link }: AskNews): Mail | undefined {
  const view = asOf(given, now);
  const asked = view.questions.filter(({ mine, kind }) => mine && kind !== 'callback');
  return asked.length > 0 ? mailOf({ ...view, questions: asked }, now, link) : undefined;
}

/** What a mail is made from. Times are ms since the epoch. */
export interface AskNews {
  readonly view: AskView;
  readonly now: number;
  readonly link: string;
}

function mailOf(view: AskView, now: number, link: string): Mail {
  const parts = view.questions.slice(0, MAX_QUESTIONS).map((question, i) => partOf(question, i, view, now));
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

function partOf(question: QuestionView, i: number, view: AskView, now: number): Part {
  const place = view.questions.length > 1 ? `${i + 1} of ${view.questions.length}: ` : '';
  const title = unlinked(`${place}${subjectOf(question)}${question.risk === 'high' ? ' (high risk)' : ''}`);
  const why = { by: authorOf(question), lines: linesOf(question.text) };
  return {
    title,
    notes: standingWords(question, view, now).map(unlinked),
    written: question.kind === 'question' ? [why, ...optionsOf(question)] : [...argumentsPart(question), why],
  };
}

/** The page takes the answer: here the options are only read. */
function optionsOf({ options = [] }: QuestionView): Part['written'] {
  const lines = options.slice(0, MAX_OPTIONS).map((option, i) => `${i + 1}. ${unlinked(oneLine(option, 200))}`);
  const more = options.length > lines.length ? [`… and ${options.length - lines.length} more ${CUT}`] : [];
  return options.length > 0 ? [{ by: 'Answers to choose from, written by the model', lines: [...lines, ...more] }] : [];
}

function argumentsPart(question: QuestionView): Part['written'] {
  if (question.input === undefined) return [];
  const lines = argumentLines(question);
  return [{ by: lines.length > 0 ? 'Arguments, written by the model' : 'No arguments', lines }];
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
  const shown = parts.map(({ title: about, notes, written }) =>
    [about, ...notes, ...written.flatMap(({ by, lines }) => [`  ${by}`, ...lines.map((line) => `  | ${line}`)])].join('\n'),
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

const asSection = ({ title, notes, written }: Part): Markup => html`<h2 style="margin:16px 0 8px;font-size:16px">${title}</h2>
${notes.map(
  (note) => html`<p style="margin:0 0 8px">${note}</p>
`,
)}${written.map(
  ({ by, lines }) => html`<div style="${BOX}"><p style="margin:0 0 4px;font-size:13px;color:#5c584e">${by}</p>
<pre style="${PRE}">${lines.join('\n')}</pre></div>
`,
)}`;
