import { describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_LIMIT, readEnvironment, VARIABLES } from '../../shared/environment.ts';

const needed = {
  HOLDFAST_TABLE: 'runs',
  HOLDFAST_IDEMPOTENCY_TABLE: 'locks',
  HOLDFAST_STATE_MACHINE_ARN: 'arn:aws:states:::loop',
  HOLDFAST_PUBLIC_URL: 'https://example.com/holdfast',
  HOLDFAST_LINK_KEY: 'key',
};

describe('readEnvironment()', () => {
  test('readEnvironment() reads the variables and fills in the rest', () => {
    expect(readEnvironment({ ...needed, PATH: '/bin' })).toEqual({
      stage: 'local',
      table: 'runs',
      idempotencyTable: 'locks',
      stateMachineArn: 'arn:aws:states:::loop',
      eventLimit: DEFAULT_EVENT_LIMIT,
      publicUrl: 'https://example.com/holdfast',
      linkKey: 'key',
    });
    const optional = {
      HOLDFAST_STAGE: 'prod',
      HOLDFAST_EVENT_LIMIT: '40',
      HOLDFAST_MODEL: 'scripted/a',
      HOLDFAST_MODEL_KEYS: 'desk/keys',
      HOLDFAST_MAIL_FROM: 'desk@example.com',
      HOLDFAST_MAIL_CONFIGURATION: 'holdfast-prod',
    };
    expect(readEnvironment({ ...needed, ...optional })).toMatchObject({
      stage: 'prod',
      eventLimit: 40,
      model: 'scripted/a',
      modelKeys: 'desk/keys',
      mailConfiguration: 'holdfast-prod',
      mailFrom: 'desk@example.com',
    });
  });

  test('readEnvironment() takes an empty variable for one that is not set', () => {
    expect(readEnvironment({ ...needed, HOLDFAST_EVENT_LIMIT: '', HOLDFAST_MODEL: '' })).toEqual(readEnvironment(needed));
    expect(() => readEnvironment({ ...needed, HOLDFAST_TABLE: '' })).toThrow('HOLDFAST_TABLE: ');
  });

  test('readEnvironment() names every variable that is missing or wrong', () => {
    const read = () => readEnvironment({ HOLDFAST_TABLE: 'runs', HOLDFAST_EVENT_LIMIT: 'many' });
    expect(read).toThrow(
      /^Cannot read the settings of this function: HOLDFAST_IDEMPOTENCY_TABLE: .+; HOLDFAST_STATE_MACHINE_ARN: .+; HOLDFAST_EVENT_LIMIT: .+; HOLDFAST_PUBLIC_URL: .+; HOLDFAST_LINK_KEY: .+$/,
    );
  });

  test.each(['0', '19', '-5', '20.5', 'NaN', 'Infinity'])('readEnvironment() refuses an event limit of %s', (limit) => {
    expect(() => readEnvironment({ ...needed, HOLDFAST_EVENT_LIMIT: limit })).toThrow('HOLDFAST_EVENT_LIMIT: ');
  });

  test.each(['https://example.com/', 'example.com', 'nowhere'])('readEnvironment() refuses %s for the base of links', (url) => {
    expect(() => readEnvironment({ ...needed, HOLDFAST_PUBLIC_URL: url })).toThrow('HOLDFAST_PUBLIC_URL: ');
  });

  test.each(['smtp://desk:word@mail.example:587', 'smtps://mail.example'])('readEnvironment() takes %s for a mail server', (smtpUrl) => {
    expect(readEnvironment({ ...needed, HOLDFAST_SMTP_URL: smtpUrl, HOLDFAST_WEBHOOK_KEY: 'key' })).toMatchObject({
      smtpUrl,
      webhookKey: 'key',
    });
  });

  test.each(['https://mail.example', 'desk:word', 'mail.example'])(
    'readEnvironment() refuses %s for a mail server, and does not tell it',
    (url) => {
      expect(() => readEnvironment({ ...needed, HOLDFAST_SMTP_URL: url })).toThrow(/HOLDFAST_SMTP_URL: (?!.*(mail\.example|word))/);
    },
  );

  test('every variable bears the name of the product', () => {
    for (const name of Object.values(VARIABLES)) expect(name).toMatch(/^HOLDFAST_[A-Z_]+$/);
  });
});
