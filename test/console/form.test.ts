import { describe, expect, test } from 'vitest';
import { exactJson } from '../../console/arguments.ts';
import { type AnswerRequestEntry, readForm } from '../../console/form.ts';
import { visible } from '../../console/plain-text.ts';
import type { QuestionView } from '../../shared/ask-view.ts';
import type { Json } from '../../shared/json.ts';
import { answerTo } from '../../shared/record.ts';
import { HOSTILE } from './hostile-texts.ts';
import {
  aboutTheRun,
  alreadySaid,
  approval,
  budgetReached,
  escalation,
  freeQuestion,
  partly,
  questionWithOptions,
  twoCalls,
  twoPeople,
  unknownOutcome,
} from './sample-asks.ts';

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

  test('leaves open what has no decision when there are several questions', () => {
    expect(answersOf('decision.2=deny', twoCalls.questions)).toEqual([{ index: 2, decision: 'deny' }]);
    expect(faultOf('comment=x', twoCalls.questions)).toBe('No question has a decision: choose at least one.');
    expect(faultOf('decision.0=approve&decision.2=', twoCalls.questions)).toContain('The decision on send_mail must be one of');
  });

  test('takes decisions only from one who may make them', () => {
    expect(answersOf('decision.2=approve&decision.4=deny', partly.questions)).toEqual([
      { index: 2, decision: 'approve' },
      { index: 4, decision: 'deny' },
    ]);
    for (const stray of ['decision.0=approve', 'decision.3=approve', 'option.3=x'])
      expect(faultOf(`decision.2=approve&${stray}`, partly.questions)).toContain(
        'takes no answer from you now: it is settled, or asked of others.',
      );
    expect(faultOf('', alreadySaid.questions)).toBe('Nothing here is asked of you now.');
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

  test.each([
    ['1.25', 1.25],
    [' 0.01 ', 0.01],
    ['5', 5],
    ['', 0.5],
  ])('raises a limit by %j', (text, amount) => {
    expect(answersOf(formOf(['decision.run', 'raise'], ['amount.run', text]), budgetReached.questions)).toEqual([
      { decision: 'raise', amount },
    ]);
  });

  test.each([
    ['0.005', 'The limit must be raised by $0.01 at least: less is not enough for the next step.'],
    ['5.01', 'The limit is raised by $5 at most; it can be raised again.'],
    ['1e3', 'The amount must be a number of dollars.'],
    ['-1', 'The amount must be a number of dollars.'],
    ['lots', 'The amount must be a number of dollars.'],
  ])('does not raise a limit by %j', (text, fault) => {
    expect(faultOf(formOf(['decision.run', 'raise'], ['amount.run', text]), budgetReached.questions)).toBe(fault);
  });

  test('leaves out what stands in the amount field of another decision', () => {
    expect(answersOf('decision.run=finish&amount.run=lots', budgetReached.questions)).toEqual([{ decision: 'finish' }]);
    expect(faultOf('decision.run=raise&amount.run=1&amount.run=2', budgetReached.questions)).toBe('The amount was sent more than once.');
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

describe('readForm() of a button for all', () => {
  const both = [
    { index: 0, decision: 'approve' },
    { index: 2, decision: 'approve' },
  ];

  test('decides every call that waits for consent, and nothing else', () => {
    expect(answersOf('bulk=approve', twoCalls.questions)).toEqual(both);
    expect(answersOf('bulk=deny&comment=no', partly.questions)).toEqual([
      { index: 2, decision: 'deny', comment: 'no' },
      { index: 4, decision: 'deny', comment: 'no' },
    ]);
    const mixed = [...twoCalls.questions, ...escalation.questions];
    expect(answersOf('bulk=approve', mixed)).toEqual(both);
    expect(answersOf('bulk=approve&decision.1=skip', mixed)).toEqual([...both, { index: 1, decision: 'skip' }]);
  });

  test('agrees with decisions that say the same, and with no other', () => {
    expect(answersOf('bulk=approve&decision.0=approve', twoCalls.questions)).toEqual(both);
    expect(faultOf('bulk=approve&decision.2=deny', twoCalls.questions)).toBe(
      '“approve all” contradicts “deny” of send_mail: send each decision, or one for all.',
    );
    expect(faultOf('bulk=deny&decision.0=approve', twoCalls.questions)).toContain('“deny all” contradicts “approve” of issue_refund');
    expect(faultOf('bulk=approve&decision.0=&decision.2=approve', twoCalls.questions)).toContain('The decision on issue_refund');
  });

  test.each([
    'bulk=',
    'bulk=APPROVE',
    'bulk=approve+',
    'bulk=result',
    'bulk=expired',
    'bulk=abort',
    'bulk=approve&bulk=approve',
    'bulk=approve&bulk=deny',
    'bulk[]=approve',
    'bulk',
  ])('takes no other word: %s', (body) => {
    expect(readForm(body, twoCalls.questions)).toEqual({ fault: expect.any(String) });
  });

  test('is refused where the page has none', () => {
    for (const { questions } of [approval, questionWithOptions, alreadySaid, aboutTheRun])
      expect(faultOf('bulk=approve', questions)).toContain('There are not several calls left to decide at once.');
  });
});

describe('readForm() of arguments', () => {
  const input = one[0]?.input as { [key: string]: Json };
  const sent = (text: string, decision = 'approve') => formOf(['decision.0', decision], ['input.0', text]);

  test('takes what means the same for no change', () => {
    const turned = JSON.stringify(Object.fromEntries(Object.entries(input).toReversed()), null, 4).replaceAll('\n', '\r\n');
    for (const text of [exactJson(input), turned, JSON.stringify(input).replace('48900', '4.89e4')])
      for (const decision of ['approve', 'deny']) expect(answersOf(sent(text, decision))).toEqual([{ index: 0, decision }]);
  });

  test('takes changed arguments with a yes', () => {
    expect(answersOf(sent('{"amount_cents": 12500, "reason": "\u202E"}'))).toEqual([
      { index: 0, decision: 'approve', input: { amount_cents: 12_500, reason: '\u202E' } },
    ]);
    expect(answersOf(`bulk=approve&${formOf(['input.2', '{}'])}`, twoCalls.questions)).toEqual([
      { index: 0, decision: 'approve' },
      { index: 2, decision: 'approve', input: {} },
    ]);
  });

  test('takes them with nothing else', () => {
    expect(faultOf(sent('{}', 'deny'))).toBe('The arguments of issue_refund were changed, which goes with “approve” and not with “deny”.');
    expect(faultOf(`bulk=deny&${formOf(['input.0', '{}'])}`, twoCalls.questions)).toContain('not with “deny”');
    expect(faultOf(formOf(['decision.2', 'approve'], ['input.0', '{}']), twoCalls.questions)).toBe(
      'The arguments of issue_refund were changed, and there is no decision on it.',
    );
    expect(faultOf(formOf(['decision.0', 'approve'], ['input.0', '{}']), twoPeople.questions)).toBe(
      'The arguments of issue_refund cannot be changed.',
    );
    expect(faultOf(`${sent('{}')}&input.0={}`)).toBe('The arguments of issue_refund were sent more than once.');
  });

  test.each([
    '',
    ' ',
    '{',
    '{"a": 1,}',
    '{"a": NaN}',
    '{"a": 1e999}',
    '[]',
    'null',
    '"{}"',
    '42',
    '{}{}',
    "{'a': 1}",
    `{"a": ${'['.repeat(600)}${']'.repeat(600)}}`,
    `{"a": ${'['.repeat(100_000)}`,
    ...Object.values(HOSTILE),
  ])('takes nothing but a JSON object: %#', (text) => {
    expect(faultOf(sent(text))).toMatch(/^(The changed arguments of issue_refund are no JSON object\.|The number 1e999 .*)$/);
  });

  test('takes no number whose digits would be lost', () => {
    expect(faultOf(sent('{"id": [12345678901234567890]}'))).toBe(
      'The number 12345678901234567890 in the arguments of issue_refund has too many digits to be kept: put it in quotes.',
    );
    expect(faultOf(sent('{"id": 0.12345678901234567890}'))).toContain('too many digits');
    const kept = { id: '12345678901234567890', large: 1e21, small: -1.5e-7, whole: 9_007_199_254_740_991, zero: 0 };
    expect(answersOf(sent(JSON.stringify(kept)))).toEqual([{ index: 0, decision: 'approve', input: kept }]);
    expect(answersOf(sent('{"price": 1.50}'))).toEqual([{ index: 0, decision: 'approve', input: { price: 1.5 } }]);
  });

  test('keeps a key by any name', () => {
    const [answer] = answersOf(sent('{"__proto__": {"a": 1}}')) as AnswerRequestEntry[];
    expect(JSON.stringify(answer?.input)).toBe('{"__proto__":{"a":1}}');
  });
});

describe('readForm() of a question', () => {
  const choice = questionWithOptions.questions;
  const free = freeQuestion.questions;

  test('takes an option, or a text, for an answer without another word', () => {
    expect(answersOf('option.0=Blue', choice)).toEqual([{ index: 0, decision: 'result', output: 'Blue' }]);
    expect(answersOf('decision.0=result&option.0=Whatever+is+in+stock', choice)).toEqual([
      { index: 0, decision: 'result', output: 'Whatever is in stock' },
    ]);
    expect(answersOf('output.0=Sorry', free)).toEqual([{ index: 0, decision: 'result', output: 'Sorry' }]);
  });

  test.each(['42', 'null', '{"a": 1}', '"x"', 'true'])('never reads a text as JSON: %s', (text) => {
    expect(answersOf(formOf(['decision.0', 'result'], ['output.0', ` ${text}\r\n`]), free)).toEqual([
      { index: 0, decision: 'result', output: text },
    ]);
  });

  test('takes no answer beside another decision', () => {
    expect(answersOf('decision.0=skip&option.0=Blue', choice)).toEqual([{ index: 0, decision: 'skip' }]);
    expect(answersOf('decision.0=abort&output.0=x', free)).toEqual([{ index: 0, decision: 'abort' }]);
  });

  test.each(['blue', 'Red', 'Blue ', '0', '', 'constructor'])('takes no answer that is no option: %j', (option) => {
    expect(faultOf(formOf(['decision.0', 'result'], ['option.0', option]), choice)).toMatch(
      /^The answer to ask_user must be one of its options: /,
    );
  });

  test('needs an answer', () => {
    expect(faultOf('', choice)).toBe('ask_user needs an answer: write or choose one, decline, or abort.');
    expect(faultOf('output.0=+', free)).toBe('ask_user needs an answer: write or choose one, decline, or abort.');
    expect(faultOf('decision.0=result', free)).toBe('“result” needs the answer to ask_user.');
    expect(faultOf('option.0=Blue&option.0=Green', choice)).toContain('2 were sent');
    expect(faultOf('decision.0=approve', choice)).toContain('must be one of result, skip, abort');
    expect(faultOf('output.0=Red', choice)).toContain('needs an answer');
  });

  test.each(Object.entries(HOSTILE).filter(([, text]) => text.trim() !== ''))(
    'gives back the very option that was shown: %s',
    (_, text) => {
      const [question] = choice as [QuestionView];
      const shown = visible(text).replaceAll('\n', '\r\n');
      expect(answersOf(formOf(['option.0', shown]), [{ ...question, options: ['a', text] }])).toEqual([
        { index: 0, decision: 'result', output: text },
      ]);
    },
  );
});

describe('readForm() of a name', () => {
  const reading = (body: string, questions: readonly QuestionView[]) => readForm(body, questions, true);
  const anybody = [{ ...(one[0] as QuestionView), needs: 2 }];

  test('is read only where it is asked', () => {
    expect(reading('decision.0=deny&by=+Pat+Doe+', one)).toEqual({ answers: [{ index: 0, decision: 'deny' }], by: 'Pat Doe' });
    expect(reading('decision.0=deny&by=+', one)).toEqual({ answers: [{ index: 0, decision: 'deny' }] });
    expect(readForm('decision.0=deny&by=Pat', one)).toEqual({ answers: [{ index: 0, decision: 'deny' }] });
  });

  test('is needed where several people must say yes, of one who may', () => {
    const said = { answers: [{ index: 0, decision: 'approve' }] };
    expect(reading('decision.0=approve&by=pat@example.com', twoPeople.questions)).toEqual({ ...said, by: 'pat@example.com' });
    expect(reading('decision.0=approve&by=Pat', anybody)).toEqual({ ...said, by: 'Pat' });
    for (const questions of [anybody, twoPeople.questions])
      expect(reading('decision.0=approve', questions)).toEqual({ fault: 'issue_refund needs a yes from several people: say who you are.' });
    expect(reading('decision.0=approve&by=lee', twoPeople.questions)).toEqual({
      fault: '“lee” may not answer about issue_refund: it is asked of pat@example.com, kim@example.com or finance@example.com.',
    });
    expect(reading('decision.0=approve&by=kim@example.com', twoPeople.questions)).toEqual({
      fault: '“kim@example.com” has answered about issue_refund already.',
    });
  });

  test('may be left out when what needs several people stays open', () => {
    const mixed = [...twoPeople.questions, ...twoCalls.questions.slice(1)];
    expect(reading('decision.2=deny', mixed)).toEqual({ answers: [{ index: 2, decision: 'deny' }] });
    expect(reading('bulk=deny', mixed)).toEqual({ fault: expect.stringContaining('say who you are') });
  });

  test.each([
    ['x'.repeat(101), 'Your name has 101 characters, and 100 is the limit.'],
    ['pat\u200B', 'Your name holds characters that cannot be seen.'],
    ['pat\u202E', 'Your name holds characters that cannot be seen.'],
    ['pat\nkim', 'Your name holds characters that cannot be seen.'],
  ])('is short and can be seen: %j', (name, fault) => {
    expect(reading(formOf(['decision.0', 'deny'], ['by', name]), one)).toEqual({ fault });
  });

  test('is one', () => {
    expect(reading('decision.0=deny&by=a&by=b', one)).toEqual({ fault: 'Your name was sent more than once.' });
  });
});

describe('readForm() about a model that is no more', () => {
  const [question] = aboutTheRun.questions as [QuestionView];
  const retired: QuestionView[] = [{ ...question, kind: 'restart', choices: ['repin', 'retry', 'abort'], namesModel: true }];

  test('reads the model that the run goes on with', () =>
    expect(answersOf(formOf(['decision.run', 'repin'], ['model.run', ' openai/gpt-5 ']), retired)).toEqual([
      { decision: 'repin', model: 'openai/gpt-5' },
    ]));

  test('takes no repin without one, and leaves it out of what is said otherwise', () => {
    expect(faultOf(formOf(['decision.run', 'repin'], ['model.run', ' ']), retired)).toMatch(/^Name the model/);
    expect(faultOf(formOf(['decision.run', 'repin'], ['model.run', 'a/b'], ['model.run', 'a/c']), retired)).toMatch(/more than once/);
    expect(answersOf(formOf(['decision.run', 'retry'], ['model.run', 'a/b']), retired)).toEqual([{ decision: 'retry' }]);
  });

  test('needs none where only the code is another', () =>
    expect(answersOf(formOf(['decision.run', 'repin']), [{ ...(retired[0] as QuestionView), namesModel: false }])).toEqual([
      { decision: 'repin' },
    ]));
});
