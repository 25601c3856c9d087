import { html } from './html.ts';
import { page } from './page.ts';

/** A page that only says something. */
export const messagePage = (title: string, text: string): string =>
  page(
    title,
    html`<h1>${title}</h1>
<p>${text}</p>`,
  );
