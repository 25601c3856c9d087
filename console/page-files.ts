import { type FileRef, fileWords } from '../shared/file.ts';
import { html, type Markup } from './html.ts';
import { oneLine } from './plain-text.ts';

/** A file of a run on a page. */
export interface PageFile {
  readonly file: FileRef;
  /** The bytes of a picture, to be shown. Anything else is never shown, since a browser would run it or guess at it. */
  readonly picture?: Uint8Array;
  /** Where it can be saved from, for those who may. */
  readonly href?: string;
}

/** The files of what is asked and of what was done before: pictures as they are, all others by their names. */
export const pageFiles = (files: readonly PageFile[]): Markup | undefined =>
  files.length === 0
    ? undefined
    : html`<section class="files"><h2>Files</h2>
${files.map(figure)}</section>
`;

function figure({ file, picture, href }: PageFile): Markup {
  const words = oneLine(fileWords(file), 300);
  const image =
    picture &&
    html`<img src="data:${file.mediaType};base64,${base64(picture)}" alt="${words}" width="${file.width ?? 1}" height="${file.height ?? 1}">`;
  return html`<figure>${image}<figcaption>${href === undefined ? words : html`<a href="${href}" download>${words}</a>`}</figcaption></figure>
`;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
