import { describe, expect, it } from 'vitest';
import { EXPORT_VERSION, exportHeader, exportLine, exportTrailer } from '../../shared/export.ts';

describe('the lines of an exported run', () => {
  it('are of the kinds that are written, and no other', () => {
    expect(exportLine.safeParse({ kind: 'meta', meta: { runId: 'r' } }).success).toBe(true);
    expect(exportLine.safeParse({ kind: 'record', record: { v: 1, seq: 1, at: 1, type: 'task', agent: 'a', input: null } }).success).toBe(
      true,
    );
    expect(exportLine.safeParse({ kind: 'secret', value: 'x' }).success).toBe(false);
  });

  it('name a file by its hash, and hold it whole', () => {
    const sha256 = 'a'.repeat(64);
    expect(exportLine.safeParse({ kind: 'file', sha256, base64: 'AAAA' }).success).toBe(true);
    expect(exportLine.safeParse({ kind: 'file', sha256: '../x', base64: 'AAAA' }).success).toBe(false);
    expect(exportLine.safeParse({ kind: 'file', sha256, base64: 'not base64!' }).success).toBe(false);
  });

  it('stand between a header with the version of the format and a line that says how many they are', () => {
    const header = { kind: 'holdfast-export', version: EXPORT_VERSION, runId: 'r', exportedAt: 1, service: 'http://here' };
    expect(exportHeader.parse(header)).toEqual(header);
    expect(exportTrailer.safeParse({ kind: 'end', lines: 3, sha256: 'h' }).success).toBe(true);
  });
});
