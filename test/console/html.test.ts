import { expect, test } from 'vitest';
import { html, textOf, verbatim } from '../../console/html.ts';

const shown = (text: string) => textOf(html`<p title="${text}">${text}</p>`);

test('html() escapes what would be markup, in text and in attributes', () => {
  expect(shown(`<b> & "x" 'y'`)).toBe('<p title="&lt;b&gt; &amp; &quot;x&quot; &#39;y&#39;">&lt;b&gt; &amp; &quot;x&quot; &#39;y&#39;</p>');
});

test('html() shows unseen characters by their numbers', () => {
  expect(shown('\u0000\u202E')).toBe('<p title="⟨U+0000⟩⟨U+202E⟩">⟨U+0000⟩⟨U+202E⟩</p>');
});

test('html() takes markup as it is, lists in order, and nothing for undefined', () => {
  const items = ['a', '<'].map((item) => html`<li>${item}</li>`);
  expect(textOf(html`<ul>${items}</ul>${undefined}${3}`)).toBe('<ul><li>a</li><li>&lt;</li></ul>3');
});

test('html() takes no data for markup, whatever its shape', () => {
  const forged = JSON.parse('{"markup":"<b>","text":"<b>","Symbol(markup)":"<b>"}');
  expect(() => html`${forged}`).toThrow(TypeError);
});

test('html() refuses an attribute without quotes', () => {
  expect(() => html`<p title=${'a b'}></p>`).toThrow('Cannot fill a template: the attribute after "<p title=" has no quotes');
});

test('verbatim() escapes what would be markup and changes nothing else', () => {
  expect(textOf(html`<textarea>${verbatim('</textarea>"&\u200F\u200D')}</textarea>`)).toBe(
    '<textarea>&lt;/textarea&gt;&quot;&amp;\u200F\u200D</textarea>',
  );
});
