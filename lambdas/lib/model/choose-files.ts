import type { FileRef } from '../../../shared/file.ts';
import { isTextType } from '../../../shared/file-text.ts';
import { isPictureType } from '../../../shared/picture.ts';
import type { FileRules } from './file-rules.ts';

/** Why a file is not sent, as the model is told of it. */
export type WhyNot = string;
const OLDER: WhyNot = 'older files are left out of a long conversation';

/**
 * Chooses which of a conversation's files, oldest first, are sent: for each of them undefined, or why not. When they would
 * become too many or too large together, older ones are left out until half of what is allowed remains: so the requests
 * that follow begin with the same bytes for as long as they can. What is left out once stays left out of a longer list.
 */
export function chooseFiles(rules: FileRules, files: readonly FileRef[]): (WhyNot | undefined)[] {
  const why = files.map((file) => unfit(rules, file));
  const sent: number[] = [];
  for (const place of files.keys()) {
    if (why[place] !== undefined) continue;
    sent.push(place);
    const within = (share: number) =>
      fits(
        rules,
        sent.map((each) => files[each] as FileRef),
        share,
      );
    if (within(1)) continue;
    while (sent.length > 1 && !within(1 / 2)) why[sent.shift() as number] = OLDER;
  }
  return why;
}

/** Bytes of a file as they are sent, in base64. */
const sentBytes = ({ bytes }: FileRef): number => Math.ceil(bytes / 3) * 4;

const longestSide = ({ width = 0, height = 0 }: FileRef): number => Math.max(width, height);

/** Why a file can never be sent. */
function unfit({ mediaTypes, side, pictureBytes, documentBytes, requestBytes }: FileRules, file: FileRef): WhyNot | undefined {
  if (isTextType(file.mediaType)) return 'it is no text in UTF-8, or there is no room for it';
  if (!mediaTypes.includes(file.mediaType)) return `this model takes no ${file.mediaType}`;
  const most = Math.min(requestBytes, isPictureType(file.mediaType) ? pictureBytes : documentBytes);
  if (sentBytes(file) > most) return `this model takes at most ${Math.floor((most / 4) * 3)} bytes`;
  return longestSide(file) > side ? `this model takes pictures of at most ${side} pixels a side` : undefined;
}

function fits({ requestBytes, pictures, many, documents }: FileRules, files: readonly FileRef[], share: number): boolean {
  const shown = files.filter(({ mediaType }) => isPictureType(mediaType));
  const most = shown.some((file) => longestSide(file) > many.side) ? Math.min(pictures, many.pictures) : pictures;
  const bytes = files.reduce((sum, file) => sum + sentBytes(file), 0);
  return shown.length <= most * share && files.length - shown.length <= documents * share && bytes <= requestBytes * share;
}
