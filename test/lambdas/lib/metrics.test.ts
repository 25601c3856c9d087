import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { during, logError, logLine } from '../../../lambdas/lib/invocation.ts';
import { measure, measureRecord } from '../../../lambdas/lib/metrics.ts';

const SETTINGS = {
  HOLDFAST_STAGE: 'prod',
  HOLDFAST_TABLE: 'runs',
  HOLDFAST_IDEMPOTENCY_TABLE: 'locks',
  HOLDFAST_STATE_MACHINE_ARN: 'arn:aws:states:::loop',
  HOLDFAST_PUBLIC_URL: 'https://example.com',
  HOLDFAST_LINK_KEY: 'key',
  AWS_LAMBDA_FUNCTION_NAME: 'holdfast-prod-sweep',
};

let written: string[];
beforeEach(() => {
  for (const [name, value] of Object.entries(SETTINGS)) vi.stubEnv(name, value);
  written = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
const lines = () => written.map((text) => JSON.parse(text) as Record<string, unknown>);

describe('measure()', () => {
  it('writes one line in the embedded metric format', () => {
    measure({ Tokens: 12, ReplyMs: 700 }, { runId: 'r1', message: 'Recorded reply 2' });
    expect(written.join('')).toMatch(/^\{.*\}\n$/);
    expect(lines()).toEqual([
      {
        at: expect.any(String),
        runId: 'r1',
        step: 'holdfast-prod-sweep',
        message: 'Recorded reply 2',
        _aws: {
          Timestamp: expect.any(Number),
          CloudWatchMetrics: [
            {
              Namespace: 'Holdfast',
              Dimensions: [['Stage']],
              Metrics: [
                { Name: 'Tokens', Unit: 'Count' },
                { Name: 'ReplyMs', Unit: 'Milliseconds' },
              ],
            },
          ],
        },
        Stage: 'prod',
        Tokens: 12,
        ReplyMs: 700,
      },
    ]);
  });

  it('writes of a record what it is, and nothing of what it says', () => {
    measureRecord('r1', { v: 1, seq: 1, at: 1, type: 'task', agent: 'desk', input: 'a secret' });
    measureRecord('r1', { v: 1, seq: 2, at: 1, type: 'user', messages: [{ id: 'm', text: 'a secret', at: 1 }] });
    expect(lines()).toMatchObject([{ message: 'Recorded task 1', RunsStarted: 1 }, { message: 'Recorded user 2' }]);
    expect(lines()[1]).not.toHaveProperty('_aws');
    expect(written.join('')).not.toContain('a secret');
  });
});

describe('lines', () => {
  it('say which run and step they are about, also where invocations overlap', async () => {
    const work = (runId: string, ms: number) =>
      during({ runId, step: `model:${ms}` }, async () => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        measure({});
        logLine('another', 'Hello', { step: 'mine' });
      });
    await Promise.all([work('r1', 20), work('r2', 1)]);
    expect(lines().map(({ runId, step }) => `${runId} ${step}`)).toEqual(['r2 model:1', 'another mine', 'r1 model:20', 'another mine']);
  });

  it('leave out fields that are no JSON, and say so', () => {
    logLine('r1', 'Hello', { big: 1n });
    expect(lines()).toMatchObject([{ runId: 'r1', message: 'Hello', fieldsLeftOut: expect.stringMatching(/BigInt/) }]);
  });

  it('about an error show names, sentences and places, and nothing else that hangs on it', () => {
    const cause = Object.assign(new TypeError('inner'), { requestBody: 'a secret' });
    logError(Object.assign(new Error('outer', { cause }), { response: 'a secret' }));
    expect(lines()).toMatchObject([
      {
        level: 'error',
        message: 'outer',
        error: 'Error',
        trace: expect.arrayContaining([expect.stringContaining('metrics.test.ts')]),
        cause: { message: 'inner', error: 'TypeError' },
      },
    ]);
    expect(written.join('')).not.toContain('a secret');
  });

  it('about an error end where causes go in a circle, and take what is no error', () => {
    const error = new Error('round');
    error.cause = error;
    logError(error);
    logError('text');
    expect(lines().map(({ message }) => message)).toEqual(['round', 'text']);
  });
});
