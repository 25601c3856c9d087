import { expect, test } from 'vitest';
import { providerCallId } from '../../shared/model.ts';
import { fileId, messageId, parseTextId, readingNote } from '../../shared/text-id.ts';

test('parseTextId() reads the ids that the model is shown', () => {
  expect(parseTextId(messageId(1))).toEqual({ kind: 'message', seq: 1, index: 0 });
  expect(parseTextId(messageId(12, 3))).toEqual({ kind: 'message', seq: 12, index: 3 });
  expect(parseTextId(providerCallId(12, 3))).toEqual({ kind: 'call', seq: 12, index: 3 });
  expect(parseTextId(fileId(messageId(1), 1))).toEqual({ kind: 'message', seq: 1, index: 0, file: 1 });
  expect(parseTextId(fileId(providerCallId(12, 3), 100))).toEqual({ kind: 'call', seq: 12, index: 3, file: 100 });
});

test.each(['', 'c', 'c1', 'c0_1', 'x1_1', 'c1_1 ', 'c01_1', '../c1_1', 'c1_1_f', 'c1_1_f0', 'c1_1_1', 'f1'])(
  'parseTextId() reads no "%s"',
  (id) => expect(parseTextId(id)).toBeUndefined(),
);

test('readingNote() names the tool, the id and the place', () => {
  expect(readingNote('c2_0')(120)).toBe('read_result reads on with {"id":"c2_0","from":120}');
});
