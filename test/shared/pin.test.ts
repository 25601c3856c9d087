import { expect, test } from 'vitest';
import { pin } from '../../shared/pin.ts';

test('pin reads what runs of older code have: a model and a machine', () => {
  const old = { model: 'scripted/a', machine: 'arn:aws:states:us-east-1:123456789012:stateMachine:a' };
  expect(pin.parse(old)).toEqual(old);
});

test('pin refuses a tool whose class is none', () => {
  const wrong = { model: 'm', machine: 'a', tools: { pay: { class: 'twice', hash: 'x' } } };
  expect(pin.safeParse(wrong).error?.issues[0]?.path).toEqual(['tools', 'pay', 'class']);
});
