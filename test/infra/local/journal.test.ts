import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournal } from '../../../infra/local/journal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('openJournal()', () => {
  it('reads what was added and not removed, byte for byte, from another host too', () => {
    const journal = openJournal(folder);
    journal.add('run-0001', '{ "runId": "run" }');
    journal.add('run-0002', '{}');
    journal.remove('run-0002');
    journal.remove('run-0003');
    expect([...openJournal(folder).read()]).toEqual([['run-0001', '{ "runId": "run" }']]);
    expect(readdirSync(folder)).toEqual(['run-0001.json']);
  });

  it('leaves out what a host was writing when it was killed', () => {
    writeFileSync(join(folder, 'run-0001.json.draft'), '');
    const journal = openJournal(folder);
    expect(journal.read().size).toBe(0);
    journal.add('run-0001', '{}');
    expect([...journal.read().keys()]).toEqual(['run-0001']);
  });
});
