import type { PageFile } from '../../console/page-files.ts';
import type { AskView } from '../../shared/ask-view.ts';
import { type FileRef, filesIn } from '../../shared/file.ts';
import type { Meta } from '../../shared/meta.ts';
import { isPictureType, pictureOf } from '../../shared/picture.ts';
import { readFile } from './file-store.ts';

/** The most files that a page names. */
const MAX_FILES = 20;
/** The most bytes of pictures that a page holds: with its texts it must fit into the 6 MB that its function may answer. */
const MAX_PICTURES = 1_000_000;

/**
 * Lists the files that help to judge an ask, each once: those in what is asked, then those of what the run did before, newest
 * first, then those of its task. Pictures come with their bytes, as many as a page can hold. `hrefOf` says where they can be saved from.
 */
export async function filesOnPage(meta: Meta, view: AskView, hrefOf?: (file: FileRef) => string): Promise<PageFile[]> {
  const values = [...view.questions.map(({ input = null }) => input), ...view.before.toReversed().map(({ output }) => output), view.task];
  const files = [...new Map(values.flatMap(filesIn).map((file) => [file.sha256, file])).values()].slice(0, MAX_FILES);
  const shown: PageFile[] = [];
  let room = MAX_PICTURES;
  for (const file of files) {
    const picture = isPictureType(file.mediaType) && file.bytes <= room ? await pictureIn(meta, file) : undefined;
    room -= picture?.length ?? 0;
    shown.push({ file, ...(picture ? { picture } : {}), ...(hrefOf ? { href: hrefOf(file) } : {}) });
  }
  return shown;
}

/** A picture counts as one only by its bytes. */
async function pictureIn(meta: Meta, file: FileRef): Promise<Uint8Array | undefined> {
  const bytes = await readFile(meta, file);
  return bytes?.length === file.bytes && pictureOf(bytes)?.mediaType === file.mediaType ? bytes : undefined;
}
