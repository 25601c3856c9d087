import { ulid } from 'ulid';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunSummary } from '../../shared/api.ts';
import { holdfast } from './command.ts';
import { type FakeDeployment, IDENTITY, REGION, startFakeDeployment } from './fake-deployment.ts';
import { type FakePublished, functionArn, Refusal, startFakePublished, versionArn } from './fake-published.ts';
import { summary } from './sample-run.ts';

const DAY = 86_400_000;
const STEP = 'holdfast-dev-model-step';
const ASK = 'holdfast-dev-ask';

let deployment: FakeDeployment;
let published: FakePublished;

beforeEach(async () => {
  for (const name of Object.keys(process.env).filter((one) => /^(AWS|HOLDFAST)_/.test(one))) vi.stubEnv(name, undefined);
  deployment = await startFakeDeployment([]);
  published = await startFakePublished();
  const variables = {
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/nowhere/config',
    AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials',
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: IDENTITY.keyId,
    AWS_SECRET_ACCESS_KEY: IDENTITY.secret,
    AWS_SESSION_TOKEN: IDENTITY.token,
    AWS_ENDPOINT_URL_CLOUDFORMATION: deployment.cloudFormationUrl,
    AWS_ENDPOINT_URL_SFN: published.statesUrl,
    AWS_ENDPOINT_URL_LAMBDA: published.lambdaUrl,
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  for (const version of [1, 2, 3, 4, 5]) deploy(version, 100 * (6 - version));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await deployment.close();
  await published.close();
});

/** Deploys a version, so many days ago, with a model step of its own and an ask that only every second one changes. */
function deploy(version: number, daysAgo: number): void {
  const functions = [functionArn(STEP, version), functionArn(ASK, Math.ceil(version / 2))];
  published.versions.set(version, { publishedAt: Date.now() - daysAgo * DAY, functions });
  published.own.functions = functions;
  for (const arn of functions) published.functions.add(arn);
  deployment.stacks.set('holdfast', { ApiUrl: deployment.apiUrl, StateMachineVersion: versionArn(version) });
}

function runOn(version: number | undefined, status: RunSummary['status'] = 'waiting'): void {
  const pinned = version === undefined ? {} : { version };
  deployment.service.runs.push({ summary: summary({ runId: ulid(), status, ...pinned }), records: [] });
}

const versions = (...args: string[]) => holdfast('', ['versions', '--stack', 'holdfast', ...args]);
const prune = async (...args: string[]) => {
  const { code, out, err } = await versions('--json', '--prune', ...args);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
};
const steps = (...numbers: number[]) => numbers.map((number) => functionArn(STEP, number));
const asks = (...numbers: number[]) => numbers.map((number) => functionArn(ASK, number));

describe('holdfast versions', () => {
  it('lists versions newest first, with their unfinished runs page by page and what they invoke', async () => {
    for (let i = 0; i < 230; i++) runOn(3, 'running');
    for (const status of ['waiting', 'interrupted', 'completed', 'failed', 'cancelled'] as const) runOn(2, status);
    const { code, out, err } = await versions();
    const [head, ...rows] = out.trim().split('\n');
    expect([code, err, head]).toEqual([0, '', expect.stringMatching(/^version +published +unfinished +functions$/)]);
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
      ['5 (new runs)', expect.stringContaining('(100d00h ago)'), '0', `${ASK}:3 ${STEP}:5`],
      ['4', expect.stringContaining('(200d00h ago)'), '0', `${ASK}:2 ${STEP}:4`],
      ['3', expect.any(String), '230', `${ASK}:2 ${STEP}:3`],
      ['2', expect.any(String), '2', `${ASK}:1 ${STEP}:2`],
      ['1', expect.any(String), '0', `${ASK}:1 ${STEP}:1`],
    ]);
    expect(new Set(deployment.seen.map(({ fault }) => fault))).toEqual(new Set([undefined]));
  });

  it('says the same as JSON', async () => {
    runOn(5);
    const { versions: found, elsewhere } = JSON.parse((await versions('--json')).out);
    expect(found[0]).toMatchObject({ version: 5, arn: versionArn(5), current: true, unfinished: 1, functions: [...asks(3), ...steps(5)] });
    expect([found.length, elsewhere]).toEqual([5, []]);
  });

  it('says which runs stay on none of them', async () => {
    runOn(9);
    runOn(undefined);
    expect((await versions()).out).toMatch(/1 unfinished run on version 9, which is gone\n1 unfinished run on no version\n$/);
  });

  it.each([
    [['versions'], {}, 'name its stack, with --stack or HOLDFAST_STACK'],
    [['versions', '--url', 'http://127.0.0.1:9'], { HOLDFAST_STACK: 'holdfast' }, 'and not the address http://127.0.0.1:9'],
    [['versions'], { HOLDFAST_STACK: 'holdfast', HOLDFAST_URL: 'http://127.0.0.1:9' }, 'and not the address'],
    [['versions', '--yes'], { HOLDFAST_STACK: 'holdfast' }, 'without --prune'],
    [['versions', '--prune', '--keep', '0'], { HOLDFAST_STACK: 'holdfast' }, 'at least 1'],
    [['versions', '--prune', '--older-than', '1.5'], { HOLDFAST_STACK: 'holdfast' }, 'a whole number'],
  ])('is used wrongly as %j with %j', async (args, env, said) => {
    expect(await holdfast('', args, { env })).toMatchObject({ code: 2, err: expect.stringContaining(said) });
    expect([deployment.service.requests, published.deleted]).toEqual([[], []]);
  });

  it('says what is wrong with the stack', async () => {
    deployment.stacks.set('holdfast', { ApiUrl: deployment.apiUrl });
    expect(await versions()).toMatchObject({ code: 1, err: expect.stringContaining('no output StateMachineVersion') });
  });

  it('says when AWS does not answer', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_SFN', 'http://127.0.0.1:9');
    expect(await versions()).toMatchObject({ code: 3, err: expect.stringContaining('AWS does not answer') });
  });
});

describe('holdfast versions --prune', () => {
  it('only says what it would delete', async () => {
    runOn(1);
    const { code, out } = await versions('--prune');
    expect([code, published.deleted]).toEqual([0, []]);
    expect(out).toMatch(/^would delete version 2 of the state machine, published .*\n/);
    expect(out).toContain(`would delete function version ${STEP}:2\nto delete it, say --yes too\n`);
  });

  it('deletes with --yes: first versions of the state machine, then the functions that none left invokes', async () => {
    runOn(1);
    expect(await prune('--yes')).toEqual({ deleted: true, versions: [2], functions: steps(2), elsewhere: [] });
    expect(published.deleted).toEqual([versionArn(2), ...steps(2)]);
    expect((await versions('--prune', '--yes')).out).toBe('nothing to delete\n');
  });

  it('keeps the newest, what took new runs lately, and the one that new runs start on', async () => {
    expect((await prune('--keep', '1')).versions).toEqual([1, 2, 3, 4]);
    expect((await prune('--keep', '1', '--older-than', '150')).versions).toEqual([1, 2, 3]);
    deployment.stacks.set('holdfast', { ApiUrl: deployment.apiUrl, StateMachineVersion: versionArn(2) });
    expect((await prune('--keep', '1')).versions).toEqual([1, 3, 4]);
  });

  it('deletes what a deployment published that failed, but nothing that the state machine itself invokes', async () => {
    published.own.functions = steps(6);
    for (const arn of steps(6, 7)) published.functions.add(arn);
    expect((await prune('--keep', '5')).functions).toEqual(steps(7));
  });

  it('goes on where it was stopped', async () => {
    published.hook.beforeDelete = (arn) => {
      if (arn === steps(1)[0]) throw new Refusal('AccessDeniedException', 'User is not authorized to perform: lambda:DeleteFunction');
    };
    const stopped = await versions('--prune', '--yes');
    expect(stopped).toMatchObject({ code: 1, err: expect.stringContaining('not authorized to perform: lambda:DeleteFunction') });
    expect([...published.versions.keys()]).toEqual([3, 4, 5]);
    published.hook.beforeDelete = () => {};
    expect(await prune('--yes')).toMatchObject({ versions: [], functions: expect.arrayContaining(steps(1, 2)) });
    expect([...published.functions].toSorted()).toEqual([...asks(2, 3), ...steps(3, 4, 5)]);
  });

  it('does not mind what is gone already', async () => {
    published.hook.beforeDelete = (arn) => {
      published.versions.delete(Number(arn.split(':').at(-1)));
      published.functions.delete(arn);
    };
    expect((await prune('--yes')).versions).toEqual([1, 2]);
  });

  it('keeps all functions while a run is unfinished that was reopened until its version was gone', async () => {
    published.hook.beforeDelete = (arn) => {
      if (arn === versionArn(2)) runOn(2, 'running');
    };
    const { code, out } = await versions('--prune', '--yes');
    expect([code, published.deleted]).toEqual([0, [versionArn(1), versionArn(2)]]);
    expect(out).toContain('1 unfinished run on version 2, which is gone\nall function versions are kept until these runs have ended\n');
    expect(await prune('--yes')).toEqual({ deleted: true, versions: [], functions: [], elsewhere: [{ version: 2, unfinished: 1 }] });
  });

  it.each(['UPDATE_IN_PROGRESS', 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS', 'UPDATE_ROLLBACK_FAILED'])(
    'waits while the stack is %s',
    async (status) => {
      deployment.state.status = status;
      expect(await versions('--prune', '--yes')).toMatchObject({ code: 1, err: expect.stringContaining(`its status is ${status}`) });
      expect(published.deleted).toEqual([]);
      expect((await versions()).code).toBe(0);
    },
  );

  it('deletes nothing when the runs cannot be read', async () => {
    Object.assign(deployment.refusal, { api: 'Forbidden' });
    expect(await versions('--prune', '--yes')).toMatchObject({ code: 1, err: expect.stringContaining('GET /runs') });
    expect(published.deleted).toEqual([]);
  });
});
