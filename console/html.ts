import { visible } from './plain-text.ts';

/** Under a symbol that is known to this file alone: no data, whatever its shape, passes for markup. */
const TEXT = Symbol('markup');

/** HTML that a template of this project wrote. */
export interface Markup {
  readonly [TEXT]: string;
}

/** What a template takes: everything but markup is text and is escaped. */
export type Content = Markup | string | number | undefined | readonly Content[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

function render(content: Content): string {
  if (content === undefined) return '';
  if (typeof content === 'string' || typeof content === 'number') return escaped(visible(String(content)));
  return isMarkup(content) ? content[TEXT] : content.map(render).join('');
}

const isMarkup = (content: Markup | readonly Content[]): content is Markup => TEXT in content;

/** Makes markup of a template whose contents are escaped and shown as `visible` has them. Throws where an attribute is not quoted. */
export function html(literals: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  const open = literals.slice(0, -1).find((literal) => literal.endsWith('='));
  if (open !== undefined) throw new TypeError(`Cannot fill a template: the attribute after "${open.slice(-40)}" has no quotes`);
  return { [TEXT]: literals.reduce((text, literal, i) => `${text}${render(contents[i - 1])}${literal}`) };
}

/** A person's own words for a field in which they go on writing: escaped, and otherwise unchanged. */
export const verbatim = (text: string): Markup => ({ [TEXT]: escaped(text) });

/** Returns the HTML text of markup, to be sent. */
export const textOf = (markup: Markup): string => markup[TEXT];
