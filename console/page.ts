import { html, type Markup, textOf } from './html.ts';
import { STYLE } from './style.ts';

/** One whole page. No script, nothing from elsewhere; phones are told to make no links of numbers and addresses. */
export const page = (title: string, main: Markup): string =>
  textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${title} · Holdfast</title>
${STYLE}
</head>
<body>
<header><p class="brand">Holdfast</p></header>
<main>
${main}
</main>
</body>
</html>
`);
