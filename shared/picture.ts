/** The pictures that models and browsers take. */
export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

/** What the first bytes of a picture say of it; sides in pixels. */
export interface Picture {
  readonly mediaType: PictureType;
  readonly width: number;
  readonly height: number;
}

/** Tells whether a media type is that of a picture. */
export const isPictureType = (mediaType: string): mediaType is PictureType => (PICTURE_TYPES as readonly string[]).includes(mediaType);

/** Reads what kind of picture some bytes are, and its size; undefined when they are none, or end before they say. */
export function pictureOf(bytes: Uint8Array): Picture | undefined {
  const found = png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes);
  return found && found.width > 0 && found.height > 0 ? found : undefined;
}

/** Tells whether some bytes are a GIF of more than one picture. What follows a block that is none is not looked at. */
export function isAnimatedGif(bytes: Uint8Array): boolean {
  if (!gif(bytes)) return false;
  let pictures = 0;
  for (let at = 13 + colours(bytes[10]); at < bytes.length && pictures < 2; ) {
    if (bytes[at] === GIF_PICTURE) {
      pictures++;
      at = afterParts(bytes, at + 11 + colours(bytes[at + 9]));
    } else if (bytes[at] === GIF_EXTENSION) at = afterParts(bytes, at + 2);
    else break;
  }
  return pictures > 1;
}

const GIF_PICTURE = 0x2c;
const GIF_EXTENSION = 0x21;

/** Bytes of the table of colours that follows, by the flags before it. */
const colours = (flags = 0): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** The place after the parts of a block, each with its length before it, the last with none. */
function afterParts(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at]) at += 1 + (bytes[at] as number);
  return at + 1;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const textAt = (bytes: Uint8Array, at: number, length: number) => String.fromCharCode(...bytes.subarray(at, at + length));

function png(bytes: Uint8Array): Picture | undefined {
  if (bytes.length < 24 || textAt(bytes, 0, 8) !== '\x89PNG\r\n\x1a\n' || textAt(bytes, 12, 4) !== 'IHDR') return undefined;
  const view = viewOf(bytes);
  return { mediaType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

function gif(bytes: Uint8Array): Picture | undefined {
  if (bytes.length < 10 || !/^GIF8[79]a$/.test(textAt(bytes, 0, 6))) return undefined;
  const view = viewOf(bytes);
  return { mediaType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/** WebP has three forms: lossy, lossless and extended; each says its size in its own way. */
function webp(bytes: Uint8Array): Picture | undefined {
  if (bytes.length < 30 || textAt(bytes, 0, 4) !== 'RIFF' || textAt(bytes, 8, 4) !== 'WEBP') return undefined;
  const view = viewOf(bytes);
  const of = (width: number, height: number): Picture => ({ mediaType: 'image/webp', width, height });
  switch (textAt(bytes, 12, 4)) {
    case 'VP8 ':
      return of(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
    case 'VP8L': {
      const packed = view.getUint32(21, true);
      return of((packed & 0x3fff) + 1, ((packed >> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return of(uint24(bytes, 24) + 1, uint24(bytes, 27) + 1);
    default:
      return undefined;
  }
}

const uint24 = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);

/** Walks the segments of a JPEG to the one that says its size. */
function jpeg(bytes: Uint8Array): Picture | undefined {
  if (bytes.length < 4 || textAt(bytes, 0, 3) !== '\xff\xd8\xff') return undefined;
  const view = viewOf(bytes);
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] as number;
    if (marker === 0xff || isBare(marker)) at += marker === 0xff ? 1 : 2;
    else if (isFrame(marker)) return { mediaType: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    else at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** Markers without a length: restarts, and the start of the picture. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
/** Start of a frame; four others of this range are tables. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
