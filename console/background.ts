import type { AskView } from '../shared/ask-view.ts';
import { fileWords, withoutFiles } from '../shared/file.ts';
import type { Json } from '../shared/json.ts';
import { inWords } from '../shared/raise.ts';
import { html, type Markup } from './html.ts';
import { grouped } from './plain-text.ts';
import { named } from './words.ts';
import { writtenValue } from './written.ts';

/** What helps to judge an ask: what the run was told, did and cost so far. */
export const background = (view: AskView): Markup => html`<section class="background">
<h2>What the run did before</h2>
${
  view.before.length === 0
    ? html`<p>Nothing yet: this is its first call.</p>`
    : html`<ol>
${view.before.map(earlier)}</ol>`
}
<h2>Its task</h2>
${writtenValue('Written by whoever started the run', filesNamed(view.task))}
<h2>Cost so far</h2>
<p>${costOf(view)}</p>
</section>`;

const earlier = ({
  tool,
  input,
  ok,
  output,
}: AskView['before'][number]): Markup => html`<li><details><summary><code>${named(tool)}</code> ${
  ok ? 'succeeded' : html`<strong>failed</strong>`
}</summary>
${writtenValue('Arguments, written by the model', input)}
${writtenValue('Output, written by the tool', filesNamed(output))}</details></li>
`;

/** The files are listed by themselves. */
const filesNamed = (value: Json): Json => withoutFiles(value, (file) => `[file ${fileWords(file)}]`);

function costOf({ totals, costUsd }: AskView): string {
  const price = costUsd === undefined ? 'Price of the model not known' : costUsd === 0 ? 'No cost' : `About ${inWords('costUsd', costUsd)}`;
  const cached = totals.cacheReadTokens > 0 ? ` (and ${grouped(totals.cacheReadTokens)} from the cache)` : '';
  const turns = `${grouped(totals.turns)} turn${totals.turns === 1 ? '' : 's'}`;
  return `${price}; ${turns}, ${grouped(totals.inputTokens)} tokens in${cached}, ${grouped(totals.outputTokens)} tokens out.`;
}
