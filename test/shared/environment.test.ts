import { describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_LIMIT, readEnvironment, VARIABLES } from '../../shared/environment.ts';

const needed = { HOLDFAST_TABLE: 'runs', HOLDFAST_IDEMPOTENCY_TABLE: 'locks', HOLDFAST_STATE_MACHINE_ARN: 'arn:aws:states:::loop' };

describe('readEnvironment()', () => {
  test('readEnvironment() reads the variables and fills in the rest', () => {
    expect(readEnvironment({ ...needed, PATH: '/bin' })).toEqual({
      table: 'runs',
      idempotencyTable: 'locks',
      stateMachineArn: 'arn:aws:states:::loop',
      eventLimit: DEFAULT_EVENT_LIMIT,
    });
    expect(readEnvironment({ ...needed, HOLDFAST_EVENT_LIMIT: '40', HOLDFAST_MODEL: 'scripted/a' })).toMatchObject({
      eventLimit: 40,
      model: 'scripted/a',
    });
  });

  test('readEnvironment() takes an empty variable for one that is not set', () => {
    expect(readEnvironment({ ...needed, HOLDFAST_EVENT_LIMIT: '', HOLDFAST_MODEL: '' })).toEqual(readEnvironment(needed));
    expect(() => readEnvironment({ ...needed, HOLDFAST_TABLE: '' })).toThrow('HOLDFAST_TABLE: ');
  });

  test('readEnvironment() names every variable that is missing or wrong', () => {
    const read = () => readEnvironment({ HOLDFAST_TABLE: 'runs', HOLDFAST_EVENT_LIMIT: 'many' });
    expect(read).toThrow(
      /^Cannot read the settings of this function: HOLDFAST_IDEMPOTENCY_TABLE: .+; HOLDFAST_STATE_MACHINE_ARN: .+; HOLDFAST_EVENT_LIMIT: .+$/,
    );
  });

  test.each(['0', '19', '-5', '20.5', 'NaN', 'Infinity'])('readEnvironment() refuses an event limit of %s', (limit) => {
    expect(() => readEnvironment({ ...needed, HOLDFAST_EVENT_LIMIT: limit })).toThrow('HOLDFAST_EVENT_LIMIT: ');
  });

  test('every variable bears the name of the product', () => {
    for (const name of Object.values(VARIABLES)) expect(name).toMatch(/^HOLDFAST_[A-Z_]+$/);
  });
});
