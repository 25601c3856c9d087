import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFunctions, type FunctionOptions } from '../../../infra/local/functions.ts';
import type { FunctionName } from '../../../shared/functions.ts';
import { isThere, temporaryFolder, until } from './scripted-host.ts';

/** Functions whose bundles are these few lines; each export of one is `handler`. */
function functionsOf(code: Partial<Record<FunctionName, string>>, options: Partial<FunctionOptions> = {}) {
  const dataDir = temporaryFolder();
  const bundles = join(dataDir, 'bundles');
  mkdirSync(bundles);
  for (const [name, body] of Object.entries(code)) writeFileSync(join(bundles, `${name}.mjs`), `export const handler = ${body}`);
  const endpoints = {
    store: 'http://127.0.0.1:1',
    stepFunctions: 'http://127.0.0.1:2',
    secrets: 'http://127.0.0.1:3',
    mail: 'http://127.0.0.1:4',
    blobs: 'http://127.0.0.1:5',
    api: 'http://127.0.0.1:5',
  };
  const functions = createFunctions({
    bundles,
    dataDir,
    endpoints,
    environment: {},
    workersPerFunction: 2,
    timeoutSeconds: {},
    ...options,
  });
  onTestFinished(() => functions.stop(0));
  const invoke = async (event: unknown = {}) => JSON.parse(await functions.invoke('ask', event));
  const failure = async (event: unknown = {}) =>
    functions.invoke('ask', event).then(
      () => undefined,
      (error) => ({ name: error.name, cause: JSON.parse(error.message) }),
    );
  const log = () => readFileSync(join(dataDir, 'logs', 'ask.log'), 'utf8');
  return { functions, invoke, failure, log };
}

const PID = 'async ({ ms = 0 }) => { await new Promise((resolve) => setTimeout(resolve, ms)); return process.pid; }';

describe('createFunctions()', () => {
  it('gives a handler its event, a context and the addresses of this machine', async () => {
    const { invoke } = functionsOf(
      {
        ask: `async (event, context) => ({
          event,
          context: [context.functionName, typeof context.awsRequestId, context.getRemainingTimeInMillis() <= 30_000],
          environment: Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(AWS|HOLDFAST|OWN)_/.test(name))),
        })`,
      },
      { environment: { OWN_KEY: 'given' } },
    );
    expect(await invoke({ a: 1 })).toMatchObject({
      event: { a: 1 },
      context: ['ask', 'string', true],
      environment: {
        AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
        AWS_ENDPOINT_URL_SFN: 'http://127.0.0.1:2',
        AWS_ENDPOINT_URL_SECRETS_MANAGER: 'http://127.0.0.1:3',
        AWS_ENDPOINT_URL_SESV2: 'http://127.0.0.1:4',
        AWS_LAMBDA_FUNCTION_NAME: 'ask',
        HOLDFAST_TABLE: 'Runs',
        HOLDFAST_PUBLIC_URL: 'http://127.0.0.1:5',
        HOLDFAST_LINK_KEY: expect.stringMatching(/^arn:aws:secretsmanager:/),
        HOLDFAST_MAIL_FROM: 'holdfast@localhost',
        OWN_KEY: 'given',
      },
    });
  });

  it('makes null of a result that is undefined', async () => {
    expect(await functionsOf({ ask: 'async () => undefined' }).invoke()).toBeNull();
  });

  it('reports a thrown error as Lambda does', async () => {
    const { failure, log } = functionsOf({ ask: 'async () => { throw new RangeError("too far"); }' });
    const cause = { errorType: 'RangeError', errorMessage: 'too far', trace: expect.arrayContaining(['RangeError: too far']) };
    expect(await failure()).toEqual({ name: 'RangeError', cause });
    expect(log()).toContain('RangeError: too far');
  });

  it.each([
    ['process.kill(process.pid, "SIGKILL")', 'signal: killed'],
    ['process.exit(3)', 'exit status 3'],
    ['setTimeout(() => { throw new Error("stray") })', 'exit status 1'],
  ])('reports the end of a process by %s as Lambda does', async (act, how) => {
    const { failure, log } = functionsOf({ ask: `async () => { ${act}; await new Promise(() => {}); }` });
    expect(await failure()).toEqual({
      name: 'Runtime.ExitError',
      cause: {
        errorType: 'Runtime.ExitError',
        errorMessage: expect.stringMatching(`^RequestId: [\\w-]{36} Error: Runtime exited with error: ${how}$`),
      },
    });
    expect(log()).toContain(how);
  });

  it('reports a bundle that cannot be loaded', async () => {
    expect(await functionsOf({ ask: 'nothing.here' }).failure()).toMatchObject({ name: 'ReferenceError' });
  });

  it('ends a function at its limit, even one that never yields, and serves the next event', async () => {
    const { failure, invoke } = functionsOf({ ask: 'async ({ spin }) => { while (spin); return 1; }' }, { timeoutSeconds: { ask: 0.2 } });
    const cause = { errorType: 'Sandbox.Timedout', errorMessage: expect.stringMatching(/Task timed out after 0\.20 seconds$/) };
    expect(await failure({ spin: true })).toEqual({ name: 'Sandbox.Timedout', cause });
    expect(await invoke()).toBe(1);
  });

  it('keeps a process, and takes one that served the run before', async () => {
    const { invoke, functions } = functionsOf({ ask: PID });
    const [a, b] = await Promise.all([invoke({ runId: 'a', ms: 20 }), invoke({ runId: 'b', ms: 20 })]);
    expect(a).not.toBe(b);
    expect([await invoke({ runId: 'b' }), await invoke({ runId: 'a' }), await invoke({ runId: 'b' })]).toEqual([b, a, b]);
    expect(functions.pids().ask).toEqual([a, b]);
  });

  it('lets events wait while as many are at work as may be', async () => {
    const { invoke, functions } = functionsOf({ ask: PID });
    const pids = await Promise.all(Array.from({ length: 10 }, () => invoke({ ms: 1 })));
    expect(new Set(pids).size).toBe(2);
    expect(functions.invocations.ask).toEqual({ started: 10, failed: 0 });
  });

  it('serves events that wait when a process is killed', async () => {
    const { invoke, functions } = functionsOf({ ask: PID }, { workersPerFunction: 1 });
    await invoke();
    const cut = invoke({ ms: 60_000 });
    const waiting = invoke();
    const pid = functions.kill('ask');
    await expect(cut).rejects.toMatchObject({ name: 'Runtime.ExitError' });
    expect(await waiting).not.toBe(pid);
  });

  it('leaves no process behind when it stops, and lets quick ones finish', async () => {
    const { invoke, functions } = functionsOf({ ask: PID });
    await Promise.all([invoke({ ms: 5 }), invoke({ ms: 5 })]);
    const pids = functions.pids().ask;
    const quick = invoke({ ms: 50 });
    const slow = invoke({ ms: 60_000 }).catch((error) => error.name);
    await functions.stop(500);
    expect(pids).toContain(await quick);
    expect(await slow).toBe('Runtime.ExitError');
    await until(() => !pids.some(isThere));
    await expect(invoke()).rejects.toThrow('the host is stopping');
  });
});
