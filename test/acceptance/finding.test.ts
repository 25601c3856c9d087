import { expect, it } from 'vitest';
import { type Finding, isWell, tableOf, totalOf } from './finding.ts';

const finding = (name: string, tried: number, faults: string[] = []): Finding => ({ section: 'killed', name, tried, asked: 1, faults });

it('findings of one name are one line, with what is wrong below it', () => {
  const findings = [finding('a write', 3), finding('a read', 2), finding('a wait', 0), finding('a write', 4, ['point 7: it is stuck'])];
  const [write, fault, read, wait, ...more] = tableOf(findings);
  expect(write).toMatch(/^FAIL +7 +killed +a write$/);
  expect(fault?.trim()).toBe('point 7: it is stuck');
  expect(read).toMatch(/^ok +2 +killed +a read$/);
  expect(wait).toMatch(/^none +0 +killed +a wait$/);
  expect(more).toEqual([]);
  expect(totalOf(findings)).toBe('9 tries, 1 faults, 0 missed, 4 open outcomes asked about');
});

it('a point that no play came to is told of, and no fault unless many are', () => {
  const missing = { ...finding('a write', 20), missed: ['ask GetItem 3'] };
  expect(tableOf([missing])[1]?.trim()).toBe('missed: ask GetItem 3');
  expect(isWell([missing])).toBe(true);
  expect(isWell([{ ...missing, tried: 19 }])).toBe(false);
  expect(isWell([finding('a write', 20, ['it is stuck'])])).toBe(false);
  expect(isWell([])).toBe(false);
});
