import { expect, test } from 'vitest';
import { fileJson, refOf } from '../../shared/file.ts';
import { type FileName, namedFile } from '../../shared/named-file.ts';
import { call, calling, logOf, ok, settling, task } from '../support/log-builder.ts';

const file = (name: string) =>
  refOf({ bytes: Buffer.from(name), mediaType: 'text/plain', name }, Buffer.from(name).toString('hex').padEnd(64, '0'));
const log = logOf(
  task({ files: [fileJson(file('first')), fileJson(file('second'))] }),
  calling(call('look'), call('look')),
  settling(ok({ output: 'none' }), ok({ output: { made: fileJson(file('made')) } })),
  {
    type: 'user',
    messages: [
      { id: '1', text: 'One', at: 0 },
      { id: '2', text: 'Two', files: [file('sent')], at: 0 },
    ],
  },
);

test.each<[FileName, string]>([
  ['m1_0_f2', 'second'],
  ['c2_1_f1', 'made'],
  ['m4_1_f1', 'sent'],
  [file('sent').sha256, 'sent'],
  [file('made').sha256.toUpperCase(), 'made'],
  [file('first'), 'first'],
  [{ $file: file('made') }, 'made'],
])('namedFile() finds %j', (name, found) => expect(namedFile(log, name)).toEqual(file(found)));

test('namedFile() finds what came with messages to the run before, after the files of the task', () => {
  const again = logOf({ type: 'task', agent: 'tester', input: fileJson(file('first')), files: [file('before')] });
  expect(namedFile(again, 'm1_0_f2')).toEqual(file('before'));
  expect(namedFile(again, file('before').sha256)).toEqual(file('before'));
});

test.each<[unknown]>([
  ['m1_0_f3'],
  ['m1_1_f1'],
  ['m1_0'],
  ['c2_0_f1'],
  ['c2_9_f1'],
  ['c3_0_f1'],
  ['m4_0_f1'],
  ['m99_0_f1'],
  ['f'.repeat(64)],
  [''],
  ['../x'],
  [{ sha256: 7 }],
  [{ $file: null }],
  [{}],
])('namedFile() finds nothing by %j', (name) => expect(namedFile(log, name as FileName)).toBeUndefined());
