import { describe, expect, test } from 'vitest';
import { readForm } from '../../console/form.ts';
import type { QuestionView } from '../../shared/ask-view.ts';
import { answerTo } from '../../shared/record.ts';
import { aboutTheRun, approval, escalation, twoCalls, unknownOutcome } from './sample-asks.ts';

const one = approval.questions;
const formOf = (...fields: [string, string][]) => new URLSearchParams(fields).toString();
const faultOf = (body: string, questions: readonly QuestionView[] = one) => {
  const read = readForm(body, questions);
  return 'fault' in read ? read.fault : `answered: ${JSON.stringify(read.answers)}`;
};
const answersOf = (body: string, questions: readonly QuestionView[] = one) => {
  const read = readForm(body, questions);
  return 'answers' in read ? read.answers : read.fault;
};

describe('readForm()', () => {
  test('reads the decision of each question', () => {
    const body = formOf(['nonce', 'n'], ['decision.0', 'approve'], ['decision.2', 'deny'], ['comment', '']);
    expect(answersOf(body, twoCalls.questions)).toEqual([
      { index: 0, decision: 'approve' },
      { index: 2, decision: 'deny' },
    ]);
    expect(answersOf(formOf(['decision.run', 'retry']), aboutTheRun.questions)).toEqual([{ decision: 'retry' }]);
  });

  test.each([
    ['nothing', ''],
    ['an empty decision', 'decision.0='],
    ['a bare name', 'decision.0'],
    ['null', 'decision.0=null'],
    ['true', 'decision.0=true'],
    ['maybe', 'decision.0=maybe'],
    ['another case', 'decision.0=APPROVE+'],
    ['a space before', 'decision.0=+approve'],
    ['a line break after', 'decision.0=approve%0A'],
    ['a NUL after', 'decision.0=approve%00'],
    ['a wide letter', `decision.0=${encodeURIComponent('ａpprove')}`],
    ['a choice of other asks', 'decision.0=done'],
    ["the clock's word", 'decision.0=expired'],
    ['a name of the prototype', 'decision.0=constructor'],
    ['a doubled field', 'decision.0=approve&decision.0=approve'],
    ['two decisions', 'decision.0=deny&decision.0=approve'],
    ['a doubled field, one empty', 'decision.0=&decision.0=approve'],
    ['another call', 'decision.1=approve'],
    ['no call', 'decision=approve'],
    ['the run', 'decision.run=approve'],
    ['a list', 'decision.0[]=approve'],
    ['a space in the name', 'decision.0+=approve'],
    ['JSON', '{"decision.0":"approve"}'],
    ['semicolons', 'x=1;decision.0=approve'],
    ['a query', '?decision.0=approve'],
    ['a broken escape', 'decision.0=approve%'],
  ])('never takes %s for a yes', (_, body) => {
    expect(faultOf(body)).toMatch(/^The decision on issue_refund must be one of approve, deny: .*\.$/s);
  });

  test("takes not even the clock's word when it is among the choices", () => {
    const [question] = one as [QuestionView];
    expect(faultOf('decision.0=expired', [{ ...question, choices: ['approve', 'expired'] }])).toContain('must be one of approve:');
  });

  test('decides nothing when one of several questions has no decision', () => {
    expect(faultOf('decision.0=approve', twoCalls.questions)).toBe(
      'The decision on send_mail must be one of approve, deny: none was chosen.',
    );
  });

  test('names every fault, and shows no more of a wrong word than fits', () => {
    const fault = faultOf(formOf(['decision.0', `${'<b>'.repeat(1000)}\u202E`], ['decision.2', 'x\r\ny']), twoCalls.questions);
    expect(fault).toContain('send_mail must be one of approve, deny: not “x y”');
    expect(fault.length).toBeLessThan(250);
  });

  test.each([
    ['{"refund": 7}', { refund: 7 }],
    ['  "42" ', '42'],
    ['42', 42],
    ['null', null],
    ['12345678901234567890', '12345678901234567890'],
    ['1e999', '1e999'],
    ['1.50', '1.50'],
    ['{broken', '{broken'],
    ['plain\r\ntext', 'plain\ntext'],
    [`${'['.repeat(600)}${']'.repeat(600)}`, `${'['.repeat(600)}${']'.repeat(600)}`],
  ])('reads the output %j', (text, output) => {
    const answers = answersOf(formOf(['decision.1', 'result'], ['output.1', text]), escalation.questions);
    expect(answers).toEqual([{ index: 1, decision: 'result', output }]);
    expect(() => answerTo.array().parse(answers)).not.toThrow();
  });

  test('needs an output for "result", and none for "done"', () => {
    expect(faultOf(formOf(['decision.1', 'result'], ['output.1', ' \r\n']), escalation.questions)).toBe(
      '“result” needs the output of get_photos.',
    );
    expect(answersOf('decision.0=done&output.0=', unknownOutcome.questions)).toEqual([{ index: 0, decision: 'done' }]);
  });

  test('leaves out what stands in the output field of another decision', () => {
    expect(answersOf('decision.1=retry&output.1=x', escalation.questions)).toEqual([{ index: 1, decision: 'retry' }]);
    expect(faultOf('decision.1=retry&output.1=x&output.1=y', escalation.questions)).toBe(
      'The output of get_photos was sent more than once.',
    );
  });

  test('puts the comment into every answer', () => {
    const body = formOf(['decision.0', 'approve'], ['decision.2', 'deny'], ['comment', ' one\r\ntwo ']);
    expect(answersOf(body, twoCalls.questions)).toEqual([
      { index: 0, decision: 'approve', comment: 'one\ntwo' },
      { index: 2, decision: 'deny', comment: 'one\ntwo' },
    ]);
    expect(answersOf(formOf(['decision.0', 'deny'], ['comment', ' \r\n ']))).toEqual([{ index: 0, decision: 'deny' }]);
  });

  test('takes a comment of 4,000 characters and no longer one', () => {
    const lines = `${'x'.repeat(1_999)}\r\n${'y'.repeat(2_000)}`;
    expect(answersOf(formOf(['decision.0', 'deny'], ['comment', lines]))).toHaveLength(1);
    expect(faultOf(formOf(['decision.0', 'deny'], ['comment', `${lines}z`]))).toBe(
      'The comment has 4,001 characters, and 4,000 is the limit.',
    );
    expect(faultOf('decision.0=deny&comment=a&comment=b')).toBe('The comment was sent more than once.');
  });
});
