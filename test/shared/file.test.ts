import { describe, expect, it } from 'vitest';
import { asFile, file, fileFault, fileJson, filesIn, fileWords, isFile, MAX_FILE_BYTES, refOf, withoutFiles } from '../../shared/file.ts';
import { jpegOf, PIXEL } from '../support/pictures.ts';

const hash = 'a'.repeat(64);
const ref = refOf({ bytes: PIXEL, mediaType: 'image/png', name: 'a.png' }, hash);

describe('file()', () => {
  it('is known by its symbol, whichever copy of the code made it', () => {
    expect(isFile(file({ bytes: PIXEL, mediaType: 'image/png' }))).toBe(true);
    expect(isFile({ [Symbol.for('holdfast.file')]: true })).toBe(true);
    expect([null, 'x', {}, { bytes: PIXEL, mediaType: 'image/png' }].map(isFile)).toEqual([false, false, false, false]);
  });
});

describe('fileFault()', () => {
  it('finds none in pictures, documents and bytes of any type', () => {
    const good = [
      { bytes: PIXEL, mediaType: 'image/png', name: 'ä b.png' },
      { bytes: PIXEL, mediaType: 'IMAGE/PNG; q=1' },
      { bytes: new Uint8Array(MAX_FILE_BYTES), mediaType: 'application/octet-stream' },
      { bytes: Buffer.from('<svg/>'), mediaType: 'image/svg+xml' },
    ];
    expect(good.map(fileFault)).toEqual(good.map(() => undefined));
  });

  it.each([
    ['no bytes', { bytes: new Uint8Array(), mediaType: 'image/png' }, 'it is empty'],
    ['a list', { bytes: [1] as never, mediaType: 'image/png' }, 'must be a Uint8Array'],
    ['too many bytes', { bytes: new Uint8Array(MAX_FILE_BYTES + 1), mediaType: 'a/b' }, `it has ${MAX_FILE_BYTES + 1} bytes`],
    ['no subtype', { bytes: PIXEL, mediaType: 'png' }, 'its media type must be one such as'],
    ['no type', { bytes: PIXEL, mediaType: undefined as never }, 'its media type must be one such as'],
    ['a header more', { bytes: PIXEL, mediaType: 'image/png\r\nx: y' }, 'its media type must be one such as'],
    ['another type', { bytes: PIXEL, mediaType: 'image/jpeg' }, 'it says to be image/jpeg, and its bytes are none'],
    ['a page', { bytes: Buffer.from('<html>'), mediaType: 'image/png' }, 'it says to be image/png'],
    ['a path', { bytes: PIXEL, mediaType: 'image/png', name: '../a' }, 'its name must have'],
    ['half a character', { bytes: PIXEL, mediaType: 'image/png', name: '\ud800' }, 'its name must have'],
  ])('says what is wrong with %s', (_, of, fault) => {
    expect(fileFault(of)).toContain(fault);
  });
});

describe('what stands for a file', () => {
  it('tells its hash, size, type and name, and of a picture its sides', () => {
    expect(ref).toEqual({ sha256: hash, bytes: PIXEL.length, mediaType: 'image/png', name: 'a.png', width: 1, height: 1 });
    expect(refOf({ bytes: Buffer.from('x'), mediaType: 'Text/CSV; charset=utf-8' }, hash)).toEqual({
      sha256: hash,
      bytes: 1,
      mediaType: 'text/csv',
      text: { characters: 1, head: 'x' },
    });
    expect(fileWords(refOf({ bytes: Buffer.from('abc'), mediaType: 'text/plain' }, hash))).toBe('text/plain, 3 bytes');
    expect(refOf({ bytes: jpegOf(30, 40), mediaType: 'image/jpg' }, hash)).toMatchObject({
      mediaType: 'image/jpeg',
      width: 30,
      height: 40,
    });
    expect(fileWords(ref)).toBe(`a.png, image/png, 1 x 1 pixels, ${PIXEL.length} bytes`);
  });

  it('is found at any place, in order, and nothing else is', () => {
    const other = { ...ref, name: 'b.png' };
    expect(filesIn({ b: [1, fileJson(ref)], a: { deep: fileJson(other) } })).toEqual([ref, other]);
    const not = [null, 'x', { $file: 'x' }, fileJson({ ...ref, sha256: '../x' }), { ...(fileJson(ref) as object), more: 1 }, { file: 'x' }];
    expect(not.flatMap(filesIn)).toEqual([]);
    expect(not.map(asFile)).toEqual(not.map(() => undefined));
  });

  it('gives way to a text, and all else stays', () => {
    const value = { list: [fileJson(ref), 'x'], n: null };
    expect(withoutFiles(value, ({ name }) => `<${name}>`)).toEqual({ list: ['<a.png>', 'x'], n: null });
    const plain = { list: ['x'], n: null };
    expect(withoutFiles(plain, () => 'never')).toBe(plain);
  });
});
