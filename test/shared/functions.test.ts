import { expect, test } from 'vitest';
import { MAX_WAIT_SECONDS } from '../../shared/api.ts';
import { FUNCTIONS, ROUTES } from '../../shared/functions.ts';

/** API Gateway gives up on an answer after this, s. */
const GATEWAY_SECONDS = 29;

test('no function may run longer than Lambda lets it', () => {
  for (const { timeoutSeconds } of Object.values(FUNCTIONS)) expect(timeoutSeconds).toBeLessThanOrEqual(900);
});

test('every function that answers a request does so while API Gateway waits', () => {
  for (const name of Object.values(ROUTES)) expect(FUNCTIONS[name].timeoutSeconds).toBeLessThanOrEqual(GATEWAY_SECONDS);
  expect(MAX_WAIT_SECONDS).toBeLessThan(FUNCTIONS['read-runs'].timeoutSeconds);
});

test('what is only looked at is a GET or a HEAD, and what changes something a POST or a DELETE', () => {
  const looking = (route: string) => /^(GET|HEAD) /.test(route);
  for (const [route, name] of Object.entries(ROUTES).filter(([, each]) => each !== 'ask-page')) {
    expect(looking(route)).toBe(name === 'read-runs');
  }
  for (const route of Object.keys(ROUTES)) expect(looking(route) || /^(POST|DELETE) /.test(route)).toBe(true);
});
