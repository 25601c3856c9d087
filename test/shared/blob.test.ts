import { describe, expect, it } from 'vitest';
import { blobPrefix, runBlobs } from '../../shared/blob.ts';
import { businessKey, runKey } from '../../shared/tables.ts';

describe('blobPrefix()', () => {
  it('keeps the blobs of a run together, and apart from those that outlive it', () => {
    expect(blobPrefix(runKey('01ARZ3NDEKTSV4RRFFQ69G5FAV'))).toBe(runBlobs('01ARZ3NDEKTSV4RRFFQ69G5FAV'));
    expect(blobPrefix(businessKey('ab12'))).toBe('keys/ab12/');
  });
});
