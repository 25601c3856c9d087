/** Pictures by their first bytes, followed by so many more as are asked for: as large as a test needs, and never decoded. */

/** The head of a PNG of that size, and filler. */
export function pngOf(width: number, height: number, bytes = 64, filler = 7): Buffer {
  const picture = Buffer.alloc(Math.max(bytes, 33), filler);
  picture.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  picture.writeUInt32BE(width, 16);
  picture.writeUInt32BE(height, 20);
  return picture;
}

export function gifOf(width: number, height: number): Buffer {
  const picture = Buffer.alloc(20);
  picture.write('GIF89a', 'latin1');
  picture.writeUInt16LE(width, 6);
  picture.writeUInt16LE(height, 8);
  return picture;
}

/** A JPEG with a segment before the one that says its size, and fill bytes between them. */
export const jpegOf = (width: number, height: number): Buffer =>
  Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 3, 0]);

export function webpOf(form: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const picture = Buffer.alloc(40);
  picture.write(`RIFF\0\0\0\0WEBP${form}`, 'latin1');
  if (form === 'VP8 ') {
    picture.writeUInt16LE(width, 26);
    picture.writeUInt16LE(height, 28);
  } else if (form === 'VP8L') picture.writeUInt32LE(((height - 1) << 14) | (width - 1), 21);
  else {
    picture.writeUIntLE(width - 1, 24, 3);
    picture.writeUIntLE(height - 1, 27, 3);
  }
  return picture;
}

/** A whole PNG of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** A whole GIF of so many pictures of one pixel, each with a pause before it and colours of its own. */
export function gifOfPictures(pictures: number): Buffer {
  const head = [...Buffer.from('GIF89a'), 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255];
  const pause = [0x21, 0xf9, 4, 0, 10, 0, 0, 0];
  const picture = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 0, 0, 0, 255, 0, 0, 2, 2, 0x44, 1, 0];
  return Buffer.from([...head, ...Array.from({ length: pictures }, () => [...pause, ...picture]).flat(), 0x3b]);
}
