import { describe, expect, it } from 'vitest';
import type { ShopTask } from '../../agents/tau-retail/data.ts';
import type { DeskReport } from '../../agents/tau-retail/shop/desk.ts';
import type { Result, RunRecord } from '../../shared/record.ts';
import { isSame, judge, reusedIn, takenIn, wrongWrites } from './truth.ts';

const task: ShopTask = {
  task: 0,
  instruction: '',
  calls: [
    { name: 'get_user_details', input: { user_id: 'ada_1' }, output: '{"zip": "1000", "balance": 40.0}' },
    { name: 'modify_user_address', input: { user_id: 'ada_1' }, output: '{"zip": "2000"}' },
  ],
  changed: { users: { ada_1: { zip: '2000' } } },
};

const at = { v: 1, at: 0 } as const;
const read: Result = { index: 0, ok: true, output: { balance: 40, zip: '1000' }, attempts: 1 };
const write: Result = { index: 1, ok: true, output: { zip: '2000' }, attempts: 1, effect: { key: 'r/2/1', state: 'done' } };

const logOf = (results: Result[], calls = task.calls): RunRecord[] =>
  [
    { ...at, seq: 1, type: 'task', agent: 'a', input: null },
    { ...at, seq: 2, type: 'reply', calls: calls.map(({ name, input }, index) => ({ index, tool: name, input })) },
    { ...at, seq: 3, type: 'results', reply: 2, results },
    { ...at, seq: 4, type: 'end' },
  ] as unknown as RunRecord[];

const applied = { key: 'r/2/1', tool: 'modify_user_address', output: { zip: '2000' } };
const journalOf = (change: Partial<DeskReport> = {}): DeskReport => ({
  applied: [applied],
  repeated: [],
  deduped: [],
  found: [],
  changed: { users: { ada_1: { zip: '2000' } } },
  ...change,
});

const sound = { outputs: [], rows: [], duplicates: [], log: [] };

describe('judge()', () => {
  it('finds nothing wrong with a true run', () => {
    expect(judge(task, logOf([read, write]), journalOf())).toEqual(sound);
  });

  it('finds an output that is not the true one, and a call that is not the task’s', () => {
    const wrong = judge(task, logOf([{ ...read, output: { balance: 41, zip: '1000' } }, write]), journalOf());
    expect(wrong).toMatchObject({ ...sound, outputs: [expect.stringContaining('call 0, get_user_details, gave')] });
    const [first, second] = task.calls as [ShopTask['calls'][0], ShopTask['calls'][0]];
    const other = judge(task, logOf([read, write], [first, { ...second, input: { user_id: 'ben_2' } }]), journalOf());
    expect(other.outputs).toEqual(['call 1 is modify_user_address instead of modify_user_address']);
    expect(judge(task, logOf([read], [first]), journalOf()).outputs).toHaveLength(2);
  });

  it('finds rows that are not the true ones', () => {
    expect(judge(task, logOf([read, write]), journalOf({ changed: {} })).rows).toHaveLength(1);
  });

  it('finds an effect made twice under one key, and one attempted again', () => {
    expect(judge(task, logOf([read, write]), journalOf({ applied: [applied, applied] })).duplicates).toEqual(['r/2/1']);
    expect(judge(task, logOf([read, write]), journalOf({ repeated: ['r/2/1'] })).duplicates).toEqual(['r/2/1']);
  });

  it('finds a gap in the log, a call without its result, and an effect that only one side knows', () => {
    const records = logOf([read, write]);
    expect(judge(task, records.slice(1), journalOf()).log).not.toEqual([]);
    expect(judge(task, logOf([read]), journalOf()).log).toHaveLength(2);
    expect(judge(task, records, journalOf({ applied: [] })).log).toEqual([expect.stringContaining('the shop never made it')]);
  });
});

describe('isSame()', () => {
  it('compares as JSON where both are, else as text', () => {
    expect(isSame('1.50', '1.5')).toBe(true);
    expect(isSame({ b: 1, a: [2] }, '{"a": [2.0], "b": 1}')).toBe(true);
    expect(isSame('ada_1', 'ada_1')).toBe(true);
    expect(isSame('ada_1', 'ada_2')).toBe(false);
    expect(isSame({ a: 1 }, '{"a": 1, "b": 2}')).toBe(false);
  });
});

describe('wrongWrites()', () => {
  it('holds the writes alone against the truth, and lets what is refused be refused for another reason', () => {
    const changed = { ...read, output: { balance: 0, zip: '2000' } };
    const asRead = (records: RunRecord[], classes: string[]) =>
      records.map((record) =>
        record.type === 'reply' ? { ...record, calls: record.calls.map((call, i) => ({ ...call, class: classes[i] })) } : record,
      ) as RunRecord[];
    const classes = ['read', 'once'];
    expect(wrongWrites(task, asRead(logOf([changed, write]), classes))).toEqual([]);
    expect(wrongWrites(task, asRead(logOf([changed, { ...write, output: 'other' }]), classes))).toHaveLength(1);
    const refused = { ...write, ok: false, output: 'Error: no', effect: { key: 'r/2/1', state: 'failed' as const } };
    expect(wrongWrites(task, asRead(logOf([changed, refused]), classes))).toHaveLength(1);
    const [first, second] = task.calls as [ShopTask['calls'][0], ShopTask['calls'][0]];
    const refusing = { ...task, calls: [first, { ...second, output: 'Error: too late' }] };
    expect(wrongWrites(refusing, asRead(logOf([changed, refused]), classes))).toEqual([]);
    const taken = asRead(logOf([changed, write]), classes);
    expect([wrongWrites(refusing, taken), takenIn(refusing, taken), takenIn(task, taken)]).toEqual([[], 1, 0]);
    expect(reusedIn(logOf([read, { ...write, reused: true }]))).toBe(1);
  });
});
