import { expect, test } from 'vitest';
import { effectClass } from '../../shared/effect-class.ts';
import { effectClass as ofRecords } from '../../shared/record.ts';

test('effectClass has the four classes that a tool may declare, and records have the same', () => {
  expect(effectClass.options).toEqual(['read', 'idempotent', 'reconcile', 'once']);
  expect(ofRecords).toBe(effectClass);
});
