import { describe, expect, it } from 'vitest';
import { fileJson, refOf } from '../../shared/file.ts';
import { fileTokens, withFiles, withNotes } from '../../shared/shown-files.ts';
import { pngOf } from '../support/pictures.ts';

const picture = refOf({ bytes: pngOf(300, 200), mediaType: 'image/png', name: 'a.png' }, 'a'.repeat(64));
const report = refOf({ bytes: Buffer.alloc(40_000), mediaType: 'application/pdf' }, 'b'.repeat(64));

describe('withNotes()', () => {
  it('numbers the files of a value in their order', () => {
    expect(withNotes({ b: fileJson(report), a: [1, fileJson(picture)] })).toEqual({
      b: '[file 1: application/pdf, 40000 bytes]',
      a: [1, '[file 2: a.png, image/png, 300 x 200 pixels, 64 bytes]'],
    });
  });
});

describe('withFiles()', () => {
  it('adds the files of the recorded outputs, however they are shown, and none of a failure', () => {
    const recorded = [
      { index: 0, ok: true, output: { text: 'long', picture: fileJson(picture) }, attempts: 1 },
      { index: 1, ok: true, output: 'x', attempts: 1 },
      { index: 2, ok: false, output: fileJson(picture), attempts: 1 },
    ];
    const clipped = recorded.map((result) => ({ ...result, output: 'clipped' }));
    expect(withFiles(recorded, clipped)).toEqual([{ ...clipped[0], files: [picture] }, clipped[1], clipped[2]]);
  });
});

describe('fileTokens()', () => {
  it('counts pictures by their pixels up to a limit, documents by their bytes, and nothing that is only named', () => {
    expect(fileTokens([picture])).toBe(80);
    expect(fileTokens([{ ...picture, width: 8_000, height: 8_000 }])).toBe(1_600);
    expect(fileTokens([report])).toBe(2_000);
    expect(fileTokens([{ ...report, mediaType: 'application/zip' }])).toBe(0);
    expect(fileTokens(undefined)).toBe(0);
  });
});
