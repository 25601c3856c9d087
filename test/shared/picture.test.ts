import { describe, expect, it } from 'vitest';
import { isAnimatedGif, pictureOf } from '../../shared/picture.ts';
import { gifOf, gifOfPictures, jpegOf, PIXEL, pngOf, webpOf } from '../support/pictures.ts';

describe('pictureOf()', () => {
  it.each([
    ['a PNG', pngOf(3000, 20), 'image/png'],
    ['a GIF', gifOf(3000, 20), 'image/gif'],
    ['a JPEG', jpegOf(3000, 20), 'image/jpeg'],
    ['a lossy WebP', webpOf('VP8 ', 3000, 20), 'image/webp'],
    ['a lossless WebP', webpOf('VP8L', 3000, 20), 'image/webp'],
    ['an extended WebP', webpOf('VP8X', 3000, 20), 'image/webp'],
  ])('knows %s and its size', (_, bytes, mediaType) => {
    expect(pictureOf(bytes)).toEqual({ mediaType, width: 3000, height: 20 });
  });

  it('reads a picture that lies within other bytes', () => {
    const whole = Buffer.concat([Buffer.alloc(5), PIXEL]);
    expect(pictureOf(whole.subarray(5))).toEqual({ mediaType: 'image/png', width: 1, height: 1 });
  });

  it('knows nothing of other bytes, of a head that is cut, and of a picture without size', () => {
    const cut = [pngOf(1, 1), gifOf(1, 1), jpegOf(1, 1), webpOf('VP8X', 1, 1)].flatMap((whole) =>
      [0, 1, 3, 9].map((length) => whole.subarray(0, length)),
    );
    const none = [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), Buffer.from('%PDF-1.7'), pngOf(0, 5), ...cut];
    expect(none.map(pictureOf)).toEqual(none.map(() => undefined));
  });
});

describe('isAnimatedGif()', () => {
  it('counts pictures, past tables of colours and what stands between them', () => {
    expect([1, 2, 5].map((pictures) => isAnimatedGif(gifOfPictures(pictures)))).toEqual([false, true, true]);
    expect(pictureOf(gifOfPictures(2))).toEqual({ mediaType: 'image/gif', width: 1, height: 1 });
  });

  it('ends with the bytes, wherever they are cut, and says no of other pictures', () => {
    const whole = gifOfPictures(2);
    const cut = Array.from({ length: whole.length }, (_, length) => isAnimatedGif(whole.subarray(0, length)));
    expect(cut.indexOf(true)).toBeGreaterThan(whole.length / 2);
    expect([pngOf(1, 1), gifOf(1, 1), Buffer.alloc(0)].map(isAnimatedGif)).toEqual([false, false, false]);
  });
});
