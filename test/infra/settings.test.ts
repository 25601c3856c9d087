import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { readSettings, settingsOf } from '../../infra/settings.ts';
import { DEFAULT_EVENT_LIMIT } from '../../shared/environment.ts';

const inContext = (context: Record<string, unknown>) => readSettings(new App({ context }));

describe('settings', () => {
  it('have a value for everything that must have one', () => {
    expect(settingsOf({})).toEqual({
      stage: 'dev',
      throttling: { ratePerSecond: 100, burst: 200 },
      logRetentionDays: 90,
      eventLimit: DEFAULT_EVENT_LIMIT,
      askAlarmHours: 24,
      bedrockModels: [],
      variables: {},
      removal: 'retain',
    });
  });

  it('are the object of the context, and over it what is given one by one, in which numbers and lists are written as in JSON', () => {
    const read = inContext({
      holdfast: { stage: 'dev', mail: { from: 'desk@example.com' }, throttling: { burst: 5 } },
      'holdfast:stage': 'prod',
      'holdfast:mail.identity': 'domain',
      'holdfast:logRetentionDays': '7',
      'holdfast:bedrockModels': '["amazon.nova-pro-v1:0"]',
      'holdfast:jwt.issuer': 'https://login.example.com/',
      'holdfast:jwt.audience': 'desk',
      other: 1,
    });
    expect(read).toMatchObject({
      stage: 'prod',
      mail: { from: 'desk@example.com', identity: 'domain' },
      throttling: { ratePerSecond: 100, burst: 5 },
      logRetentionDays: 7,
      bedrockModels: ['amazon.nova-pro-v1:0'],
      jwt: { issuer: 'https://login.example.com/', audience: ['desk'] },
    });
    expect(settingsOf(read)).toEqual(read);
  });

  it.each([
    ['stage', { 'holdfast:stage': 'Prod' }],
    ['stage', { 'holdfast:stage': 'a-stage-of-a-long-name' }],
    ['stage', { holdfast: { stage: 7 } }],
    ['stagge', { 'holdfast:stagge': 'prod' }],
    ['mail.from', { holdfast: { mail: {} } }],
    ['mail.from', { 'holdfast:mail.from': 'example.com' }],
    ['mail.to', { 'holdfast:mail.from': 'a@example.com', 'holdfast:mail.to': 'b@example.com' }],
    ['mail.identity', { 'holdfast:mail.from': 'a@example.com', 'holdfast:mail.identity': 'yes' }],
    ['jwt.issuer', { holdfast: { jwt: { issuer: 'http://login.example.com', audience: 'a' } } }],
    ['jwt.audience', { holdfast: { jwt: { issuer: 'https://login.example.com' } } }],
    ['throttling.burst', { 'holdfast:throttling.burst': '0' }],
    ['logRetentionDays', { 'holdfast:logRetentionDays': '8' }],
    ['eventLimit', { 'holdfast:eventLimit': '25000' }],
    ['alarmMail', { 'holdfast:alarmMail': 'nobody' }],
    ['bedrockModels.0', { 'holdfast:bedrockModels': '["*"]' }],
    ['variables.AWS_REGION', { 'holdfast:variables.AWS_REGION': 'x' }],
    ['variables.shop', { holdfast: { variables: { shop: 'x' } } }],
    ['removal', { 'holdfast:removal': 'delete' }],
    ['holdfast', { holdfast: 'prod' }],
  ])('%s is named when it is wrong', (name, context) => {
    const read = () => inContext(context);
    expect(read).toThrow(expect.objectContaining({ name: 'SettingsError' }));
    expect(read).toThrow(new RegExp(`^Cannot use these settings of Holdfast: ${name.replaceAll('.', '\\.')}: [^\n]+$`));
  });

  it('that are wrong end a synthesis with one sentence', () => {
    const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ 'holdfast:stage': 'Prod' }) };
    const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, '../../infra/app.ts')], { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^Cannot use these settings of Holdfast: stage: [^\n]+\n$/)]);
  });
});
