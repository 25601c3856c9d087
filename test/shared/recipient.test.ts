import { describe, expect, test } from 'vitest';
import {
  eachOnce,
  isAmong,
  isLoopback,
  isSamePerson,
  recipient,
  recipientFault,
  webhookOf,
  webhooksFault,
} from '../../shared/recipient.ts';

const webhooks = { ops: 'https://hooks.example/T0/secret' };

test('webhookOf() tells a webhook from a mail address', () => {
  expect(webhookOf('webhook:ops')).toBe('ops');
  expect(webhookOf('ada@example.com')).toBeUndefined();
});

test('eachOnce(), isAmong() and isSamePerson() tell people apart, and not their spellings', () => {
  const people = ['Ada@Example.com', 'bob@example.com', 'ada@example.com', 'webhook:ops', 'webhook:Ops'];
  expect(eachOnce(people)).toEqual(['Ada@Example.com', 'bob@example.com', 'webhook:ops', 'webhook:Ops']);
  expect(isAmong(people, 'BOB@example.com')).toBe(true);
  expect(isAmong(people, 'webhook:OPS')).toBe(false);
  expect(isSamePerson('Ada  Lovelace', ' ada lovelace')).toBe(true);
  expect(isSamePerson('Ada', undefined)).toBe(false);
});

describe('recipient', () => {
  test.each(['ada@example.com', 'webhook:ops', 'webhook:on-call_2'])('takes %s', (given) => {
    expect(recipient.safeParse(given).success).toBe(true);
  });

  test.each([
    '',
    'ada',
    'ada@',
    'a@example.com, b@example.com',
    'a@example.com\nBcc: b@example.com',
    'webhook:',
    'webhook:a b',
    'Webhook:ops',
    'https://x.test',
    7,
    null,
  ])('does not take %j', (given) => {
    expect(recipient.safeParse(given).success).toBe(false);
  });
});

describe('recipientFault()', () => {
  test('finds nothing wrong with a mail address and a declared webhook', () => {
    expect(recipientFault('ada@example.com')).toBeUndefined();
    expect(recipientFault('webhook:ops', webhooks)).toBeUndefined();
  });

  test.each([
    ['ada', '"ada" is no mail address'],
    ['webhook:nobody', '"webhook:nobody" names no webhook of the agent: declare it in asks.webhooks'],
    ['webhook:toString', '"webhook:toString" names no webhook of the agent: declare it in asks.webhooks'],
  ])('says what is wrong with %s', (given, fault) => {
    expect(recipientFault(given, webhooks)).toBe(fault);
  });
});

describe('webhooksFault()', () => {
  test.each([{}, webhooks, { here: 'http://127.0.0.1:3000/in', name: 'http://localhost/', six: 'http://[::1]:8/' }])(
    'takes %j',
    (given) => {
      expect(webhooksFault(given)).toBeUndefined();
    },
  );

  test('names the webhook whose name is none', () => {
    expect(webhooksFault({ 'a b': 'https://hooks.example/' })).toBe('"a b" must be 1 to 40 letters, digits, "_" or "-"');
  });

  test.each([
    'http://hooks.example/secret',
    'https://user:secret@hooks.example/',
    'http://127.0.0.1.example/secret',
    'ftp://127.0.0.1/secret',
    'secret',
    undefined,
  ])('does not take the address %s, and does not tell it', (address) => {
    const fault = webhooksFault({ ops: address as string });
    expect(fault).toContain('the address of "ops" must be an https one');
    expect(fault).not.toContain('secret');
  });
});

test('isLoopback() knows this machine by its names', () => {
  expect(['localhost', '127.0.0.1', '127.8.9.10', '[::1]'].filter((host) => !isLoopback(host))).toEqual([]);
  expect(['example.com', 'localhost.example.com', '10.0.0.1', '127.0.0.1.example', '0.0.0.0'].filter(isLoopback)).toEqual([]);
});
