import { expect, test } from 'vitest';
import * as errors from '../../shared/errors.ts';

test('every error class has its own name as a literal, and keeps message and cause', () => {
  const { ProblemError, ...plain } = errors;
  for (const [name, Class] of Object.entries(plain)) {
    const cause = new Error('below');
    const error = new Class('Cannot go on', { cause });
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.message, error.cause, Object.hasOwn(error, 'name')]).toEqual([name, 'Cannot go on', cause, true]);
  }
  expect(new ProblemError(400, 'Invalid body', 'text: too long', 'text')).toMatchObject({
    name: 'ProblemError',
    status: 400,
    title: 'Invalid body',
    message: 'text: too long',
    field: 'text',
  });
  expect(new ProblemError(404, 'No such run', 'There is none').field).toBeUndefined();
});
