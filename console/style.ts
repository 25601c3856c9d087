import { html } from './html.ts';

/** The one stylesheet, in its tags. The headers allow it by its hash: nothing is filled in. */
export const STYLE = html`<style>
:root { color-scheme: light dark; --paper: #fbfaf7; --card: #ffffff; --ink: #1c1b19; --soft: #5c584e; --line: #d9d5ca; --edge: #837d6e; --quote: #f3f1ea; --link: #0b5394; --focus: #0b5394; --act: #1f4f82; --act-ink: #ffffff; --risk: #a01c1c; --risk-paper: #fdf0ee; --note: #eef4fa; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #161719; --card: #1e2023; --ink: #eceae5; --soft: #b0aca2; --line: #3a3c40; --edge: #8d8a82; --quote: #26282c; --link: #8fc1f5; --focus: #8fc1f5; --act: #8fc1f5; --act-ink: #10202f; --risk: #ff9d94; --risk-paper: #3a1f1d; --note: #1d2a37; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; overflow-wrap: anywhere; }
header, main { max-width: 44rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 1rem; }
main { padding-bottom: 3rem; }
.brand { margin: 0; color: var(--soft); font-size: 0.875rem; letter-spacing: 0.02em; }
h1 { margin: 0.25rem 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 1.75rem 0 0.5rem; font-size: 1.125rem; line-height: 1.35; }
p { margin: 0 0 0.75rem; }
a { color: var(--link); text-underline-offset: 0.15em; }
code, pre, textarea { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.9em; }
code { unicode-bidi: isolate; }
pre { margin: 0; white-space: pre-wrap; overflow: hidden; tab-size: 4; }
pre code { font-size: 1em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
.facts { margin: 0 0 1rem; }
.facts div { display: flex; gap: 0.75rem; padding: 0.125rem 0; }
.facts dt { flex: 0 0 5.5rem; color: var(--soft); }
.facts dd { margin: 0; min-width: 0; }
.question, .list li, .mail { margin: 0 0 1.25rem; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.question h2, .list h2, .mail h2, .notice h2 { margin-top: 0; }
.place { color: var(--soft); font-weight: 400; }
.risk { display: inline-block; padding: 0 0.5rem; border: 1px solid var(--risk); border-radius: 999px; background: var(--risk-paper); color: var(--risk); font-size: 0.8125rem; font-weight: 600; white-space: nowrap; }
.written { margin: 0 0 1rem; padding: 0.5rem 0.75rem 0.625rem; border-left: 3px solid var(--edge); background: var(--quote); overflow: hidden; }
.by { margin: 0 0 0.25rem; color: var(--soft); font-size: 0.8125rem; text-align: left; }
.note { margin: 0.25rem 0; color: var(--soft); font-size: 0.875rem; }
table { width: 100%; table-layout: fixed; border-collapse: collapse; }
th, td { padding: 0.375rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
th { width: 42%; padding-right: 0.5rem; font-weight: 600; font-size: 0.875rem; }
details { margin-top: 0.375rem; }
summary { padding: 0.25rem 0; color: var(--link); cursor: pointer; font-size: 0.9375rem; }
details pre { margin-top: 0.375rem; padding: 0.5rem; border: 1px dashed var(--edge); }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
legend { margin-bottom: 0.5rem; padding: 0; font-weight: 600; }
.choice { position: relative; margin-bottom: 0.5rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); }
.choice input { position: absolute; top: 1rem; left: 0.875rem; width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--act); }
.choice label { display: block; min-height: 3rem; padding: 0.75rem 0.875rem 0.75rem 2.75rem; cursor: pointer; }
.choice:has(input:checked) { border-color: var(--act); box-shadow: inset 0 0 0 1px var(--act); }
.choice:focus-within:has(:focus-visible) { outline: 3px solid var(--focus); outline-offset: 2px; }
.label { display: block; font-weight: 600; line-height: 1.4; }
.means { display: block; color: var(--soft); font-size: 0.9375rem; line-height: 1.4; }
.field { margin: 0 0 1.25rem; }
.field label { font-weight: 600; }
.output { margin-top: 0.75rem; margin-bottom: 0; }
@supports selector(:has(*)) {
  .output { display: none; }
  fieldset:has([value="done"]:checked, [value="result"]:checked) .output { display: block; }
}
textarea { display: block; width: 100%; padding: 0.625rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: var(--ink); font-size: 1rem; line-height: 1.45; resize: vertical; }
form + .question { margin-top: 1.25rem; }
input[type="text"] { display: block; width: 100%; min-height: 3rem; padding: 0.5rem 0.625rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: var(--ink); font: inherit; }
button { width: 100%; min-height: 3rem; padding: 0.625rem 1.5rem; border: 0; border-radius: 8px; background: var(--act); color: var(--act-ink); font: inherit; font-weight: 600; cursor: pointer; }
input[type="text"], select { display: block; width: 100%; min-height: 3rem; padding: 0.5rem 0.625rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: var(--ink); font: inherit; }
.bulk { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.25rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.bulk p { flex: 1 0 100%; margin: 0; }
.bulk button { border: 1px solid var(--edge); background: var(--card); color: var(--link); }
.standing { margin: 0 0 1rem; }
.standing p { margin-bottom: 0.375rem; }
.said { margin: 0; padding: 0; list-style: none; }
.said > li { margin: 0 0 0.5rem; padding: 0 0 0 0.75rem; border-left: 3px solid var(--act); }
.said .written { margin-bottom: 0.5rem; }
.said td .by { margin: 0; }
.answer, .options { margin: 0 0 1.25rem 1.25rem; }
.options .choice { background: var(--quote); }
.option { display: block; }
.edit { margin: 0.25rem 0 0; }
.edit .field { margin: 0.5rem 0 0; }
.notice, .fault { margin: 0 0 1.25rem; padding: 0.75rem 1rem; border: 1px solid var(--edge); border-radius: 10px; background: var(--note); }
.notice ul { margin: 0 0 0.75rem; padding-left: 1.25rem; }
.notice .written, .notice p { margin-bottom: 0; }
.fault { border-color: var(--risk); background: var(--risk-paper); }
figure { margin: 0 0 1rem; }
figure img { display: block; max-width: 100%; height: auto; border: 1px solid var(--edge); border-radius: 6px; background: #ffffff; }
figcaption { color: var(--soft); font-size: 0.9375rem; overflow-wrap: anywhere; }
.background { margin-top: 2rem; border-top: 1px solid var(--line); }
.background ol { padding-left: 1.5rem; }
.list { padding: 0; list-style: none; }
.list .written pre { margin-bottom: 0.25rem; }
iframe { display: block; width: 100%; height: 38rem; border: 1px solid var(--line); border-radius: 6px; background: #ffffff; color-scheme: light; }
@media (min-width: 40rem) {
  header { padding-top: 2rem; }
  button { width: auto; }
  th { width: 32%; padding-right: 0.75rem; font-size: 0.9375rem; }
  .question, .list li, .mail { padding: 1.25rem 1.5rem; }
}
</style>`;
