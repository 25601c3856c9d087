import type { Json } from '../shared/json.ts';
import { argumentsOf, type Change, changesOf, exactJson } from './arguments.ts';
import { type Content, html, type Markup } from './html.ts';
import { excerpt, grouped, oneLine, type Room } from './plain-text.ts';

/** Text that others wrote: marked as such, plain, cut at a stated length, and whole one click away. */

/** What is shown of one text before a click. */
const ROOM: Room = { characters: 2_000, lines: 16 };
const MAX_ROWS = 40;
/** What only gives the background is not shown at more length than this, characters; the log has it all. */
const BACKGROUND = 20_000;

const plain = (text: string): Markup => html`<pre><code>${text}</code></pre>`;

/** A text in a frame that says who wrote it. */
export const written = (by: string, text: string): Markup => html`<div class="written"><p class="by">${by}</p>${shortened(text)}</div>`;

/** A JSON value in a frame that says who wrote it; a very long one loses its end. */
export function writtenValue(by: string, value: Json): Markup {
  const text = typeof value === 'string' ? value : exactJson(value);
  const { text: kept, cut } = excerpt(text, { characters: BACKGROUND, lines: BACKGROUND });
  const note =
    cut && html`<p class="note">Only its first ${grouped(cut.shown)} of ${grouped(cut.of)} characters are here; the run’s log has all.</p>`;
  return html`<div class="written"><p class="by">${by}</p>${shortened(kept)}${note}</div>`;
}

function shortened(text: string): Markup {
  if (text === '') return html`<p class="note">(empty)</p>`;
  const { text: kept, cut } = excerpt(text, ROOM);
  if (!cut) return plain(kept);
  return html`${plain(kept)}<p class="note">Cut: ${grouped(cut.shown)} of ${grouped(cut.of)} characters are shown.</p>
<details><summary>Show the full text</summary>${whole(text)}</details>`;
}

/** A page must fit into the 6 MB that its function may answer: a text of this many characters is shown whole, of a longer one that much. */
const WHOLE = 2_000_000;

function whole(text: string): Markup {
  const { text: kept, cut } = excerpt(text, { characters: WHOLE, lines: WHOLE });
  const note =
    cut &&
    html`<p class="note">Cut: ${grouped(cut.shown)} of ${grouped(cut.of)} characters are shown. “holdfast show”, with the number of the record, writes all of it.</p>`;
  return html`${plain(kept)}${note}`;
}

/** The arguments of a call as a table, and as raw JSON one click away. */
export function argumentsTable(tool: string, input: Json): Markup {
  const all = argumentsOf(input);
  const rows = all.slice(0, MAX_ROWS).map(
    ({ key, value }) => html`<tr><th scope="row">${keyOf(key)}</th><td>${shortened(value)}</td></tr>
`,
  );
  const more = all.length - rows.length;
  const table = html`<table><caption class="by">Arguments of ${tool}, written by the model</caption><tbody>
${rows}</tbody></table>`;
  return html`<div class="written">${rows.length > 0 ? table : html`<p class="by">No arguments</p>`}
${more > 0 ? html`<p class="note">Cut: ${grouped(rows.length)} of ${grouped(all.length)} arguments are shown; the raw JSON has all.</p>` : undefined}
<details><summary>Raw JSON of all arguments</summary>${whole(exactJson(input))}</details></div>`;
}

/** What a person put in place of arguments: each that differs, before and after, and all as raw JSON one click away. */
export function changesTable(by: string, before: Json | undefined, after: Json): Markup {
  const all = changesOf(before, after);
  const rows = all.slice(0, MAX_ROWS).map(changeRow);
  const more = all.length - rows.length;
  return html`<div class="written"><table><caption class="by">Arguments changed by ${by}</caption><tbody>
${rows}</tbody></table>
${more > 0 ? html`<p class="note">Cut: ${grouped(rows.length)} of ${grouped(all.length)} changes are shown; the raw JSON has all.</p>` : undefined}
<details><summary>Raw JSON of the changed arguments</summary>${whole(exactJson(after))}</details></div>`;
}

const changeRow = ({ key, was, is }: Change): Markup => html`<tr><th scope="row">${keyOf(key)}</th><td>${side('Asked about', was)}
${side('Changed to', is)}</td></tr>
`;

const side = (title: string, text: string | undefined): Markup =>
  html`<p class="by">${title}</p>${text === undefined ? html`<p class="note">(not there)</p>` : shortened(text)}`;

/** A key breaks where its words do. */
const keyOf = (key: string): Content =>
  key === ''
    ? '(empty)'
    : oneLine(key, 80)
        .split(/(?<=[_-])/)
        .map((word, i) => (i > 0 ? html`<wbr>${word}` : word));
