import { expect, test } from 'vitest';
import { askUser } from '../../shared/ask-user.ts';

const ask = (input: { question: string; options?: string[] }) => {
  const tool = askUser({ approvers: ['ann@example.test'], expiresInSeconds: 60 });
  return tool.effect === 'read' ? tool.question?.(input) : undefined;
};

test('askUser() makes a question of its call, on its own terms', () => {
  expect(ask({ question: 'Which one?' })).toEqual({ text: 'Which one?', approvers: ['ann@example.test'], expiresInSeconds: 60 });
  expect(ask({ question: 'Which one?', options: ['a', 'b'] })).toMatchObject({ options: ['a', 'b'] });
});

test('askUser() takes only questions that can be asked', () => {
  const { input, name } = askUser();
  expect(name).toBe('ask_user');
  expect(askUser({ name: 'ask_boss' }).name).toBe('ask_boss');
  expect([{}, { question: '' }, { question: 'x', options: ['one'] }].map((each) => input.safeParse(each).success)).toEqual([
    false,
    false,
    false,
  ]);
});
