import { describe, expect, test } from 'vitest';
import type { Answer, AnswerTo, Ask, Question } from '../../shared/record.ts';
import {
  answersOf,
  deadlineOf,
  isAnswered,
  isAskedOf,
  isLate,
  isOverdue,
  isPassedOn,
  lastDeadlineOf,
  lifeOf,
  openAsk,
  openQuestions,
  passedOn,
  standings,
} from '../../shared/standing.ts';
import { answering, asking, calling, guarded, logOf, type Step, task } from '../support/log-builder.ts';

const question = (more: Partial<Question> = {}): Question => ({
  kind: 'approval',
  index: 0,
  inputHash: 'h',
  text: 'May it?',
  choices: ['approve', 'deny'],
  ...more,
});
const askOf = (...questions: Question[]): Ask => ({ v: 1, seq: 3, at: 0, type: 'ask', kind: 'approval', reason: 'consent', questions });
const said = (by: string, ...answers: AnswerTo[]): Answer => ({ v: 1, seq: 4, at: 0, type: 'answer', ask: 3, by, via: 'API', answers });
const yes = (index = 0): AnswerTo => ({ index, decision: 'approve' });
const no = (index = 0): AnswerTo => ({ index, decision: 'deny' });
const settled = (ask: Ask, ...answers: Answer[]) => standings(ask, answers).map((each) => each.settled?.answer.decision);

describe('standings()', () => {
  test('standings() settles a question by the first answer, and takes no later one', () => {
    expect(settled(askOf(question()))).toEqual([undefined]);
    expect(settled(askOf(question()), said('Ann', yes()), said('Bob', no()))).toEqual(['approve']);
    expect(settled(askOf(question()), said('Bob', no()), said('Ann', yes()))).toEqual(['deny']);
  });

  test('standings() waits for as many different people as are needed; the first no is a no', () => {
    const two = askOf(question({ needs: 2 }));
    expect(settled(two, said('Ann', yes()))).toEqual([undefined]);
    expect(settled(two, said('Ann', yes()), said('Ann', yes()))).toEqual([undefined]);
    expect(settled(two, said('Ann', yes()), said('Bob', yes()))).toEqual(['approve']);
    expect(settled(two, said('Ann', yes()), said('Bob', no()))).toEqual(['deny']);
  });

  test('standings() counts a person once, however their name is written', () => {
    const two = askOf(question({ needs: 2 }));
    for (const again of ['ANN@example.test', ' ann@example.test', 'ann@example.test\u200b', 'ａｎｎ@example.test'])
      expect(settled(two, said('ann@example.test', yes()), said(again, yes()))).toEqual([undefined]);
    expect(settled(two, said('Ann', yes()), said('ann', yes()), said('Anna', yes()))).toEqual(['approve']);
    expect(settled(two, said('webhook:ops', yes()), said('webhook:OPS', yes()))).toEqual(['approve']);
  });

  test('standings() keeps questions apart', () => {
    const both = askOf(question(), question({ index: 1 }));
    expect(settled(both, said('Ann', yes(1)))).toEqual([undefined, 'approve']);
    expect(openQuestions(standings(both, [said('Ann', yes(1))])).map(({ index }) => index)).toEqual([0]);
  });
});

describe('isAnswered()', () => {
  const both = askOf(question({ choices: ['approve', 'abort'] }), question({ index: 1 }));

  test('isAnswered() needs every question settled', () => {
    expect(isAnswered(standings(both, [said('Ann', yes())]))).toBe(false);
    expect(isAnswered(standings(both, [said('Ann', yes()), said('Bob', yes(1))]))).toBe(true);
  });

  test('isAnswered() waits for nobody once the run is aborted', () =>
    expect(isAnswered(standings(both, [said('Ann', { index: 0, decision: 'abort' })]))).toBe(true));
});

describe('openAsk()', () => {
  const steps: Step[] = [task(), calling(guarded('pay'), guarded('mail')), asking({ index: 0 }, { index: 1 })];

  test('openAsk() finds the ask at the end of a log until its last answer is there', () => {
    expect(openAsk(logOf(...steps))?.seq).toBe(3);
    expect(openAsk(logOf(...steps, answering([yes()])))?.seq).toBe(3);
    expect(openAsk(logOf(...steps, answering([yes()]), answering([no(1)])))).toBeUndefined();
    expect(openAsk(logOf(task()))).toBeUndefined();
  });

  test('answersOf() ends where the run goes on', () => {
    const log = logOf(...steps, answering([yes()]), answering([no(1)]), asking({ index: 0 }), answering([yes()]));
    expect(answersOf(log, { seq: 3 }).map(({ seq }) => seq)).toEqual([4, 5]);
    expect(answersOf(log, { seq: 6 }).map(({ seq }) => seq)).toEqual([7]);
  });
});

describe('time', () => {
  test('isLate() is true from the deadline on, and never without one', () => {
    expect([99, 100].map((now) => isLate({ expiresAt: 100 }, now))).toEqual([false, true]);
    expect(isLate({}, Number.MAX_SAFE_INTEGER)).toBe(false);
  });

  test('isOverdue() looks at open questions alone', () => {
    const ask = askOf(question({ expiresAt: 100 }), question({ index: 1 }));
    expect(isOverdue(standings(ask, []), 100)).toBe(true);
    expect(isOverdue(standings(ask, [said('Ann', yes())]), 100)).toBe(false);
  });

  test('deadlineOf() is the first deadline, lastDeadlineOf() the last if there is one', () => {
    expect(deadlineOf([question({ expiresAt: 5 }), question({ expiresAt: 3 }), question()])).toBe(3);
    expect(deadlineOf([question()])).toBeUndefined();
    expect(lastDeadlineOf([question({ expiresAt: 5 }), question({ expiresAt: 3 })])).toBe(5);
    expect(lastDeadlineOf([question({ expiresAt: 5 }), question()])).toBeUndefined();
  });

  test('lifeOf() ends what the clock can answer, and leaves open what it cannot, but for those who come next', () => {
    expect(lifeOf(question({ expiresInSeconds: 2 }), 1000)).toEqual({ expiresAt: 3000 });
    expect(lifeOf(question(), 1000)).toEqual({});
    const unknown = question({ kind: 'outcome-unknown', expiresInSeconds: 2 });
    expect(lifeOf(unknown, 1000)).toEqual({});
    expect(lifeOf({ ...unknown, escalateTo: ['next@example.test'] }, 1000)).toEqual({ expiresAt: 3000 });
  });
});

describe('passing on', () => {
  const first = question({ approvers: ['ann'], escalateTo: ['bob', 'cid'], expiresInSeconds: 2, expiresAt: 10, needs: 2 });

  test('passedOn() asks the next in line beside those who were asked, for as long again', () => {
    const second = passedOn(first, 1000);
    expect(second).toMatchObject({ approvers: ['ann', 'bob'], escalateTo: ['cid'], expiresAt: 3000, needs: 2 });
    const third = passedOn(second, 4000);
    expect(third).toMatchObject({ approvers: ['ann', 'bob', 'cid'], escalateTo: [], expiresAt: 6000 });
    expect([first, second, third].map(isPassedOn)).toEqual([true, true, false]);
  });
});

test('passedOn() and isAskedOf() know somebody again, however they are written', () => {
  const next = passedOn(question({ approvers: ['ann@example.test'], escalateTo: ['Ann@Example.test', 'bob@example.test'] }), 0);
  expect([next.approvers, next.escalateTo]).toEqual([['ann@example.test'], ['bob@example.test']]);
  expect(isAskedOf(next, 'ANN@example.test')).toBe(true);
});

test('isAskedOf() lets those who are named answer, everybody where nobody is, and whoever the service let in', () => {
  const asked = question({ approvers: ['ann'] });
  expect([isAskedOf(asked, 'ann'), isAskedOf(asked, 'bob'), isAskedOf(asked, undefined), isAskedOf(question(), 'bob')]).toEqual([
    true,
    false,
    true,
    true,
  ]);
});
