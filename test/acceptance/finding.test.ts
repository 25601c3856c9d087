import { expect, it } from 'vitest';
import { type Finding, tableOf, totalOf } from './finding.ts';

const finding = (name: string, tried: number, faults: string[] = []): Finding => ({ section: 'killed', name, tried, asked: 1, faults });

it('findings of one name are one line, with what is wrong below it', () => {
  const findings = [finding('a write', 3), finding('a read', 2), finding('a wait', 0), finding('a write', 4, ['point 7: it is stuck'])];
  const [write, fault, read, wait, ...more] = tableOf(findings);
  expect(write).toMatch(/^FAIL +7 +killed +a write$/);
  expect(fault?.trim()).toBe('point 7: it is stuck');
  expect(read).toMatch(/^ok +2 +killed +a read$/);
  expect(wait).toMatch(/^none +0 +killed +a wait$/);
  expect(more).toEqual([]);
  expect(totalOf(findings)).toBe('9 tries, 1 faults, 4 open outcomes asked about');
});
