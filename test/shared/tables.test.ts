import { describe, expect, test } from 'vitest';
import {
  askId,
  businessKey,
  effectItemKey,
  effectKey,
  effectPrefix,
  INBOX_PREFIX,
  inboxKey,
  isRunId,
  META_KEY,
  parseAskId,
  RECORD_PREFIX,
  recordKey,
  runKey,
  startKey,
  waitKey,
} from '../../shared/tables.ts';
import { RUN_ID } from '../support/log-builder.ts';

describe('keys', () => {
  test('every key says what it is', () => {
    expect(runKey('R')).toBe('RUN#R');
    expect(recordKey(7)).toBe('R#0000000007');
    expect(effectItemKey(7, 3)).toBe('E#0000000007#0003');
    expect(waitKey(7)).toBe('W#0000000007');
    expect(inboxKey('01')).toBe('I#01');
    expect(startKey('ab')).toBe('START#ab');
    expect(businessKey('ab')).toBe('KEY#ab');
    expect(effectKey('R', 7, 3)).toBe('R/7/3');
  });

  test('records and effects sort by number, far beyond the longest run', () => {
    const seqs = [1, 2, 9, 10, 99, 100, 12_345, 9_999_999_999];
    expect(seqs.map(recordKey).toSorted()).toEqual(seqs.map(recordKey));
    expect([0, 2, 10, 9999].map((index) => effectItemKey(1, index)).toSorted()).toEqual(
      [0, 2, 10, 9999].map((index) => effectItemKey(1, index)),
    );
  });

  test('the effects of one reply lie under its prefix, and those of no other', () => {
    expect(effectItemKey(1, 0).startsWith(effectPrefix(1))).toBe(true);
    expect(effectItemKey(10, 0).startsWith(effectPrefix(1))).toBe(false);
  });

  test('no kind of item lies among another kind', () => {
    const kinds = [META_KEY, recordKey(1), effectItemKey(1, 0), waitKey(1), inboxKey('R')];
    expect(kinds.filter((key) => key.startsWith(RECORD_PREFIX))).toEqual([recordKey(1)]);
    expect(kinds.filter((key) => key.startsWith(INBOX_PREFIX))).toEqual([inboxKey('R')]);
  });
});

describe('ids', () => {
  test('parseAskId() reads what askId() made', () => {
    for (const seq of [1, 42, 9_999_999_999]) expect(parseAskId(askId(RUN_ID, seq))).toEqual({ runId: RUN_ID, seq });
  });

  test.each([
    '',
    RUN_ID,
    `${RUN_ID}-`,
    `${RUN_ID}-0`,
    `${RUN_ID}-01`,
    `${RUN_ID}-x`,
    `${RUN_ID}-1\n`,
    ` ${RUN_ID}-1`,
    'short-1',
    `${RUN_ID}-1-1`,
  ])('parseAskId() refuses %j', (id) => expect(parseAskId(id)).toBeUndefined());

  test('isRunId() knows a ULID, in capitals, that a clock can give', () => {
    expect(isRunId(RUN_ID)).toBe(true);
    for (const text of ['', RUN_ID.toLowerCase(), `${RUN_ID}0`, `8${RUN_ID.slice(1)}`, `${RUN_ID.slice(0, -1)}U`, `${RUN_ID}\n`])
      expect(isRunId(text)).toBe(false);
  });
});
