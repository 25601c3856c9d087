import { describe, expect, test } from 'vitest';
import { MAX_FILES, refOf } from '../../shared/file.ts';
import { MOST_FILE_TEXTS } from '../../shared/file-text.ts';
import { effectsOf } from '../../shared/lineage.ts';
import { restartFacts, restartFiles } from '../../shared/restart-facts.ts';
import {
  answering,
  asking,
  call,
  calling,
  ending,
  guarded,
  keyAt,
  logOf,
  RUN_ID,
  settling,
  task,
  user,
  wrote,
} from '../support/log-builder.ts';

test('restartFacts() tells how the run ended, its plan, what it was told, what it did and what is open', () => {
  const plan = call('set_plan', { class: 'read', input: { items: [{ text: 'Pay', status: 'doing' }] } });
  const log = logOf(
    task(),
    user('Be quick'),
    calling(plan, call('pay'), call('send')),
    settling({}, wrote('done', 3, 1), wrote('unknown', 3, 2)),
    ending('failed'),
  );
  const facts = restartFacts(RUN_ID, [log], effectsOf({ runId: RUN_ID, log, entries: [] }), [{ text: 'And kind' }]);
  expect(facts).toContain(`in run ${RUN_ID}, and is started over here. It is failed (test).`);
  expect(facts).toContain('Its plan was:\n[~] Pay');
  expect(facts).toContain('in this order:\n- Be quick\n- And kind');
  expect(facts).toMatch(/which stands.*:\n- pay {"amount":1} -> "done"/);
  expect(facts).toMatch(/nobody knows.*:\n- send {"amount":1}$/);
});

test('restartFacts() tells which arguments a person put in place of what was called for, so that it is not called for again', () => {
  const edit = { input: { amount: 2 }, inputHash: 'pay {"amount":2}' };
  const log = logOf(
    task(),
    calling(guarded('pay')),
    asking({ kind: 'approval' }),
    answering('approve', { edit }),
    settling(wrote('done', 2)),
  );
  const entry = { key: keyAt(2), tool: 'pay', class: 'once', inputHash: edit.inputHash, state: 'started' } as const;
  const told = '- pay {"amount":2} (a person put this in place of {"amount":1})';
  expect(restartFacts(RUN_ID, [log], effectsOf({ runId: RUN_ID, log, entries: [] }))).toContain(`${told} ->`);
  expect(restartFacts(RUN_ID, [log], effectsOf({ runId: RUN_ID, log: log.slice(0, -1), entries: [entry] }))).toContain(told);
});

test('restartFacts() says that nothing was done', () => {
  expect(restartFacts(RUN_ID, [logOf(task(), ending('cancelled'))], [])).toMatch(/Nothing was changed outside\.$/);
});

test('restartFacts() stays short, however much was done', () => {
  const input = { text: 'x'.repeat(10_000) };
  const effects = Array.from(
    { length: 500 },
    (_, i) =>
      ({
        runId: RUN_ID,
        seq: i + 1,
        index: 0,
        key: `${i}`,
        tool: `t${i}`,
        input,
        inputHash: '',
        state: 'done',
        ok: true,
        output: input,
      }) as const,
  );
  const facts = restartFacts(RUN_ID, [], effects);
  expect(facts.length).toBeLessThan(200_000);
  expect(facts).toContain('(and 300 before these)');
  expect(facts).toContain('- t499 ');
});

test('restartFacts() keeps the plan and the messages of runs further back', () => {
  const plan = call('set_plan', { class: 'read', input: { items: [{ text: 'Pay', status: 'open' }] } });
  const first = logOf(task(), user('Be quick'), calling(plan), settling({}), ending('cancelled'));
  const facts = restartFacts(RUN_ID, [first, logOf(task(), user('And kind'), ending('failed'))], []);
  expect(facts).toContain('It is failed (test).');
  expect(facts).toContain('[ ] Pay');
  expect(facts).toContain('- Be quick\n- And kind');
});

describe('restartFiles()', () => {
  const fileOf = (name: string) => refOf({ bytes: Buffer.from(name), mediaType: 'text/plain', name }, sha(name));
  const sha = (name: string) => Buffer.from(name).toString('hex').padEnd(64, '0');
  const saying = (...names: string[]) =>
    logOf(task(), { type: 'user', messages: [{ id: '1', text: 'x', at: 0, files: names.map(fileOf) }] });

  test('lists the files of all messages, each once, and restartFacts() names them with their messages', () => {
    const [logs, unread] = [[saying('a', 'b'), saying('b')], [{ text: 'And', files: [fileOf('c')] }]];
    expect(restartFiles(logs, unread).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(restartFacts(RUN_ID, logs, [], unread)).toContain(
      '- x (with a, text/plain, 1 bytes; b, text/plain, 1 bytes)\n- x (with b, text/plain, 1 bytes)\n- And (with c, text/plain, 1 bytes)',
    );
  });

  test('keeps the newest, and of their texts as much as one message may have', () => {
    const names = Array.from({ length: MAX_FILES + 5 }, (_, i) => `${i}`.padEnd(10_000, '.'));
    const files = restartFiles([saying(...names)]);
    expect(files.map(({ name }) => name)).toEqual(names.slice(5));
    expect(files.filter(({ text }) => text)).toEqual(files.slice(-MOST_FILE_TEXTS / 10_000));
  });

  test('lists none where none came', () => expect(restartFiles([logOf(task(), user('x'))])).toEqual([]));
});
