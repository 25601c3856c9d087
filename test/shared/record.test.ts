import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Draft, type End, type RunRecord, runRecord, SCHEMA_VERSION } from '../../shared/record.ts';
import { answering, asking, call, calling, ending, guarded, logOf, ok, saying, settling, task, user } from '../support/log-builder.ts';

const log = logOf(
  task(),
  calling(guarded(), call('mail')),
  asking({}),
  answering('approve'),
  settling(ok(), ok()),
  user('More'),
  saying('Done'),
  ending(),
);
const fault = (record: unknown) => runRecord.safeParse(record).error?.issues[0]?.path.join('.');
const change = (type: RunRecord['type'], more: object) => ({ ...log.find((record) => record.type === type), ...more });

describe('runRecord', () => {
  test.each(log.map((record) => [record.type, record] as const))('runRecord reads a record of type %s as it is', (_, record) => {
    expect(runRecord.parse(record)).toEqual(record);
  });

  test('runRecord knows every type once', () => {
    const types = runRecord.options.map((option) => option.shape.type.value).sort();
    expect(types).toEqual(['answer', 'ask', 'end', 'reply', 'results', 'task', 'user']);
    expect([...new Set(log.map(({ type }) => type))].sort()).toEqual(types);
  });

  test.each([
    ['another type', change('task', { type: 'summary' }), 'type'],
    ['another version', change('task', { v: SCHEMA_VERSION + 1 }), 'v'],
    ['a seq of 0', change('task', { seq: 0 }), 'seq'],
    ['half a seq', change('task', { seq: 1.5 }), 'seq'],
    ['no input', change('task', { input: undefined }), 'input'],
    ['no messages', change('user', { messages: [] }), 'messages'],
    ['an unknown finish', change('reply', { finish: 'length' }), 'finish'],
    ['no attempt', change('reply', { attempts: 0 }), 'attempts'],
    ['a call of an unknown class', change('reply', { calls: [{ index: 0, ...call(), class: 'write' }] }), 'calls.0.class'],
    ['a call below 0', change('reply', { calls: [{ index: -1, ...call() }] }), 'calls.0.index'],
    ['content that is not JSON', change('reply', { content: [new Date(0)] }), 'content.0'],
    ['a result without output', change('results', { results: [{ index: 0, ok: true, attempts: 1 }] }), 'results.0.output'],
    ['an ask without questions', change('ask', { questions: [] }), 'questions'],
    ['a question without choices', change('ask', { questions: [{ kind: 'approval', text: '?', choices: [] }] }), 'questions.0.choices'],
    ['an answer without a decision', change('answer', { answers: [{ index: 0 }] }), 'answers.0.decision'],
    ['an unknown decision', change('answer', { answers: [{ index: 0, decision: 'yes' }] }), 'answers.0.decision'],
    ['an end that is none', change('end', { status: 'running' }), 'status'],
  ])('runRecord refuses %s and names the field', (_, record, path) => {
    expect(fault(record)).toBe(path);
  });

  test('runRecord takes null for an output and for the input of a task', () => {
    expect(fault(change('task', { input: null }))).toBeUndefined();
    expect(fault(change('results', { results: [{ index: 0, ok: true, output: null, attempts: 0 }] }))).toBeUndefined();
  });
});

test('Draft is a record without its place and time, whatever its type', () => {
  expectTypeOf<Draft<End>>().toEqualTypeOf<Omit<End, 'v' | 'seq' | 'at'>>();
  expectTypeOf<Draft['type']>().toEqualTypeOf<RunRecord['type']>();
});
