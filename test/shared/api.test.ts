import { describe, expect, test } from 'vitest';
import {
  answerRequest,
  listRecordsQuery,
  listRecordsResponse,
  listRunsQuery,
  MAX_PAGE,
  MAX_WAIT_SECONDS,
  messageRequest,
  showRunQuery,
  startRunRequest,
  steerRequest,
} from '../../shared/api.ts';
import { MAX_DEPTH } from '../../shared/json.ts';
import { summaryOf } from '../../shared/summary.ts';
import { nested } from '../support/generators.ts';
import { answering, asking, calling, guarded, logOf, ok, settling, task } from '../support/log-builder.ts';
import { aMeta } from '../support/meta.ts';

/** The field to blame, or undefined when there is nothing to blame. */
const fault = (
  schema: { safeParse: (value: unknown) => { error?: { issues: { path: PropertyKey[]; keys?: string[] }[] } | undefined } },
  value: unknown,
) => {
  const issue = schema.safeParse(value).error?.issues[0];
  return issue && ([...issue.path, ...(issue.keys ?? [])].join('.') || 'all of it');
};

describe('requests', () => {
  test('startRunRequest takes an agent and any JSON', () => {
    for (const input of [null, '', 0, [], { a: 1 }, nested(MAX_DEPTH)])
      expect(fault(startRunRequest, { agent: 'a', input })).toBeUndefined();
  });

  test.each([
    [{ input: 1 }, 'agent'],
    [{ agent: '', input: 1 }, 'agent'],
    [{ agent: 'a' }, 'input'],
    [{ agent: 'a', input: nested(MAX_DEPTH + 1) }, 'input'],
    [{ agent: 'a', input: 1, model: 'x' }, 'model'],
    [null, 'all of it'],
    ['text', 'all of it'],
  ])('startRunRequest names the field that is wrong in %o', (body, field) => expect(fault(startRunRequest, body)).toBe(field));

  test('messageRequest and steerRequest take nothing that they do not know', () => {
    expect(fault(messageRequest, { text: 'Hi' })).toBeUndefined();
    expect(fault(messageRequest, { text: '' })).toBe('text');
    expect(fault(messageRequest, { text: 'Hi', to: 'Ann' })).toBe('to');
    expect(fault(steerRequest, {})).toBeUndefined();
    expect(fault(steerRequest, { by: '' })).toBe('by');
    expect(fault(steerRequest, { by: 'a'.repeat(201) })).toBe('by');
    expect(fault(steerRequest, { reason: 'x' })).toBe('reason');
  });

  test('answerRequest takes one decision, or an answer to each question', () => {
    expect(fault(answerRequest, { decision: 'approve' })).toBeUndefined();
    expect(fault(answerRequest, { answers: [{ index: 0, decision: 'done', output: null }] })).toBeUndefined();
    expect(fault(answerRequest, { decision: 'yes' })).toBe('decision');
    expect(fault(answerRequest, { answers: [] })).toBe('answers');
    expect(fault(answerRequest, { answers: [{ index: -1, decision: 'done' }] })).toBe('answers.0.index');
    expect(fault(answerRequest, { decision: 'done', output: nested(MAX_DEPTH + 1) })).toBe('output');
    expect(fault(answerRequest, { answers: [{ decision: 'done', output: nested(MAX_DEPTH + 1) }] })).toBe('answers.0.output');
    expect(fault(answerRequest, { decision: 'approve', comment: 'a'.repeat(4_001) })).toBe('comment');
    expect(fault(answerRequest, { decision: 'approve', token: 'x' })).toBe('token');
  });
});

describe('queries', () => {
  test('queries read numbers from text and have defaults', () => {
    expect(listRunsQuery.parse({})).toEqual({ limit: 20 });
    expect(listRunsQuery.parse({ limit: '5', status: 'waiting' })).toEqual({ limit: 5, status: 'waiting' });
    expect(showRunQuery.parse({ wait: '1.5' })).toEqual({ wait: 1.5 });
    expect(listRecordsQuery.parse({ after: '3' })).toEqual({ after: 3, wait: 0, limit: MAX_PAGE });
  });

  test.each([
    [listRunsQuery, { limit: '0' }, 'limit'],
    [listRunsQuery, { limit: String(MAX_PAGE + 1) }, 'limit'],
    [listRunsQuery, { limit: 'many' }, 'limit'],
    [listRunsQuery, { status: 'paused' }, 'status'],
    [showRunQuery, { wait: String(MAX_WAIT_SECONDS + 1) }, 'wait'],
    [showRunQuery, { wait: '-1' }, 'wait'],
    [listRecordsQuery, { after: '-1' }, 'after'],
    [listRecordsQuery, { after: '1.5' }, 'after'],
  ])('a query names the field that is wrong (%#)', (schema, query, field) => expect(fault(schema, query)).toBe(field));
});

test('responses keep every field of a run and its records', () => {
  const records = logOf(task(), calling(guarded()), asking({}), answering('approve'), settling(ok()));
  const response = { run: summaryOf(aMeta({ waiting: { seq: 3, kind: 'approval' } })), records };
  expect(listRecordsResponse.parse(response)).toEqual(response);
});
