import { expect, test } from 'vitest';
import { fileJson, refOf } from '../../shared/file.ts';
import type { RunRecord } from '../../shared/record.ts';
import { filesOf } from '../../shared/record-files.ts';

const entry = { v: 1 as const, seq: 1, at: 0 };
const file = (name: string) => refOf({ bytes: Buffer.from(name), mediaType: 'text/plain', name }, 'a'.repeat(64));

test('filesOf() finds files in inputs, messages, outputs and answers, and nowhere else', () => {
  const records: RunRecord[] = [
    { ...entry, type: 'task', agent: 'a', input: { list: [fileJson(file('task'))] } },
    {
      ...entry,
      type: 'user',
      messages: [
        { id: '1', text: 'x', at: 0 },
        { id: '2', text: '', files: [file('one'), file('two')], at: 0 },
      ],
    },
    { ...entry, type: 'results', reply: 1, results: [{ index: 0, ok: true, output: fileJson(file('output')), attempts: 1 }] },
    { ...entry, type: 'answer', ask: 1, by: 'Ada', via: 'API', answers: [{ decision: 'result', output: fileJson(file('answer')) }] },
    { ...entry, type: 'end', status: 'completed', reason: 'final-reply', text: '' },
  ];
  expect(records.map((record) => filesOf(record).map(({ name }) => name))).toEqual([['task'], ['one', 'two'], ['output'], ['answer'], []]);
});
