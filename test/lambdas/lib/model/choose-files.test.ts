import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseFiles } from '../../../../lambdas/lib/model/choose-files.ts';
import { type FileRules, fileRules } from '../../../../lambdas/lib/model/file-rules.ts';
import type { FileRef } from '../../../../shared/file.ts';
import { isPictureType } from '../../../../shared/picture.ts';

const PROVIDERS = ['anthropic', 'bedrock', 'openai', 'openai-compatible'] as const;

const side = fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 9_000 }));
const file: fc.Arbitrary<FileRef> = fc
  .oneof(
    {
      weight: 5,
      arbitrary: fc.record({ mediaType: fc.constantFrom('image/png', 'image/webp'), bytes: bytes(4_200_000), width: side, height: side }),
    },
    fc.record({ mediaType: fc.constantFrom('application/pdf', 'text/csv'), bytes: bytes(9_000_000) }),
  )
  .map((of) => ({ sha256: 'a'.repeat(64), ...of }));

function bytes(max: number) {
  return fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max }));
}

/** What holds for all that is sent. */
function isWithin(rules: FileRules, files: readonly FileRef[]): boolean {
  const pictures = files.filter(({ mediaType }) => isPictureType(mediaType));
  const longest = Math.max(0, ...pictures.map(({ width = 0, height = 0 }) => Math.max(width, height)));
  const total = files.reduce((sum, each) => sum + Math.ceil(each.bytes / 3) * 4, 0);
  return (
    total <= rules.requestBytes &&
    pictures.length <= rules.pictures &&
    files.length - pictures.length <= rules.documents &&
    longest <= (pictures.length > rules.many.pictures ? rules.many.side : rules.side)
  );
}

describe.each(PROVIDERS)('chooseFiles() for %s', (provider) => {
  const rules = fileRules(provider);
  const sent = (files: readonly FileRef[]) => chooseFiles(rules, files).flatMap((why, i) => (why === undefined ? [i] : []));

  it('stays within the limits, sends the newest that can be sent, and takes nothing back that was left out', () => {
    fc.assert(
      fc.property(fc.array(file, { maxLength: 150 }), (files) => {
        let before: number[] = [];
        for (let length = 1; length <= files.length; length += 7) {
          const now = sent(files.slice(0, length));
          const chosen = now.map((i) => files[i] as FileRef);
          expect(isWithin(rules, chosen)).toBe(true);
          const possible = files.slice(0, length).flatMap((each, i) => (sent([each]).length > 0 ? [i] : []));
          expect(now).toEqual(possible.slice(possible.length - now.length));
          expect(possible.length === 0 || now.length > 0).toBe(true);
          expect(now.filter((i) => i <= (before.at(-1) ?? -1)).every((i) => before.includes(i))).toBe(true);
          before = now;
        }
      }),
      { numRuns: 60 },
    );
  });

  it('leaves out half at once, so that most requests begin as the one before them', () => {
    const files = Array.from({ length: 200 }, () => ({ sha256: '', mediaType: 'image/png', bytes: 1_500_000, width: 900, height: 900 }));
    const first = files.map((_, i) => sent(files.slice(0, i + 1))[0]);
    expect(new Set(first).size).toBeLessThanOrEqual(200 / 3);
    expect(first[0]).toBe(0);
  });
});

it('chooseFiles() says why a file is never sent', () => {
  const rules = fileRules('anthropic');
  const of = (more: Partial<FileRef>): FileRef => ({ sha256: '', mediaType: 'image/png', bytes: 1, width: 1, height: 1, ...more });
  expect(
    chooseFiles(rules, [of({ mediaType: 'image/svg+xml' }), of({ bytes: 3_932_161 }), of({ width: 8_001 }), of({ bytes: 3_932_160 })]),
  ).toEqual([
    'it is no text in UTF-8, or there is no room for it',
    'this model takes at most 3932160 bytes',
    'this model takes pictures of at most 8000 pixels a side',
    undefined,
  ]);
});
