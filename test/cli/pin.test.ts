import { describe, expect, it } from 'vitest';
import { driftLines, pinLines } from '../../cli/commands/pin.ts';
import type { PinResponse } from '../../shared/api.ts';

const plain = (_style: unknown, text: string) => text;
const PIN = { model: 'openai/gpt-5', machine: 'arn:aws:states:eu-west-1:1:stateMachine:holdfast-dev:3' };
const found = (more: Partial<PinResponse> = {}): PinResponse => ({ runId: '01JZ', pin: PIN, ...more });

describe('pinLines()', () => {
  it('says which model, as named and as served, which code, and which tools', () => {
    const pin = { ...PIN, served: ['gpt-5-x'], instructions: 'i1', settings: 's1', tools: { pay: { class: 'once' as const, hash: 't1' } } };
    expect(pinLines(found({ pin }), plain)).toEqual([
      'run     01JZ',
      'model   openai/gpt-5, served as gpt-5-x',
      `code    ${PIN.machine}`,
      'text    instructions i1, settings s1',
      'tool    pay once t1',
    ]);
  });

  it('says of a run of older code that its texts were not kept', () =>
    expect(pinLines(found(), plain).at(-1)).toBe('text    not kept: the run is older'));
});

describe('driftLines()', () => {
  const drift = (changes: string[]) => found({ drift: { changes, changedTools: [], hash: 'h', today: PIN } });

  it('lists what is different, line by line', () =>
    expect(driftLines(drift(['instructions:\n- a\n+ b', 'tool x is gone']), plain)).toEqual([
      'in the code in service:',
      '  - instructions:',
      '  - a',
      '  + b',
      '  - tool x is gone',
    ]));

  it('says when nothing is different, and when there is no such agent', () => {
    expect(driftLines(drift([]), plain)).toEqual(['the code in service is the same']);
    expect(driftLines(found(), plain)).toEqual(['the code in service has no such agent']);
  });
});
