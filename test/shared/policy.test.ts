import { expect, test } from 'vitest';
import { policy } from '../../shared/policy.ts';

test('policy has a default for every limit', () => {
  expect(policy.parse({})).toEqual({ maxTurns: 500, maxAttempts: 3, maxModelAttempts: 8, maxBadReplies: 3 });
});

test.each(['maxTurns', 'maxAttempts', 'maxModelAttempts', 'maxBadReplies'])('policy takes only whole numbers above 0 for %s', (limit) => {
  expect(policy.parse({ [limit]: 1 })).toMatchObject({ [limit]: 1 });
  for (const wrong of [0, -1, 1.5, '3', null, Number.POSITIVE_INFINITY]) expect(policy.safeParse({ [limit]: wrong }).success).toBe(false);
});

test('policy.onDrift is stay, ask, or adopt with the name of who answers for it', () => {
  for (const onDrift of ['stay', 'ask', { adopt: 'Ada' }]) expect(policy.parse({ onDrift })).toMatchObject({ onDrift });
  for (const onDrift of ['adopt', { adopt: '' }, {}, null]) expect(policy.safeParse({ onDrift }).success).toBe(false);
});
