import { describe, expect, it } from 'vitest';
import { startHost } from '../../../infra/local/host.ts';
import { FAIL, MAX_FAILURES } from '../../../shared/machine.ts';
import { closed, HANDLERS, post, reached, readRun, startRun, startScriptedHost, temporaryFolder, until } from './scripted-host.ts';

describe('startHost()', () => {
  it('plays a run from its start to its end, in 12 events and 3 transitions a turn', async () => {
    const host = await startScriptedHost();
    await startRun(host.url, 'A', ['tools', 'tools', 'end:completed']);
    await reached(host.url, 'A', 'completed');
    const execution = await closed(host, 'A-0001');
    expect(execution).toMatchObject({ status: 'SUCCEEDED', events: 2 * 12 + 5 + 2 + 2 + 2, transitions: 2 * 3 + 3 });
    expect(execution.maxStateBytes).toBeLessThan(200);
  });

  it.each([
    ['end:completed', 'SUCCEEDED', undefined],
    ['end:cancelled', 'SUCCEEDED', undefined],
    ['end:superseded', 'SUCCEEDED', undefined],
    ['end:failed', 'FAILED', FAIL.failed],
  ])('ends the execution of %s as %s', async (word, status, error) => {
    const host = await startScriptedHost();
    await startRun(host.url, 'A', [word]);
    expect(await closed(host, 'A-0001')).toMatchObject({ status, ...(error ? { error } : {}) });
  });

  it('goes on after a worker was killed, exited or threw, and tells the step why', async () => {
    const host = await startScriptedHost();
    await startRun(host.url, 'A', ['die', 'exit', 'throw', 'end:completed']);
    await reached(host.url, 'A', 'completed');
    expect(host.info().invocations['model-step']).toEqual({ started: 7, failed: 3 });
  });

  it('kills a function that exceeds its limit', async () => {
    const host = await startScriptedHost({ timeoutSeconds: { 'model-step': 1 } });
    await startRun(host.url, 'A', ['hang', 'end:completed']);
    await reached(host.url, 'A', 'completed');
    expect(host.info().invocations['model-step']).toEqual({ started: 3, failed: 1 });
  });

  it('kills a worker on demand, and the run goes on', async () => {
    const host = await startScriptedHost();
    await startRun(host.url, 'A', ['hang', 'end:completed']);
    await until(() => host.info().invocations['model-step'].started === 1 && host.info().workers['model-step'].length === 1);
    expect(host.kill('model-step')).toBe(host.info().workers['model-step'][0]);
    await reached(host.url, 'A', 'completed');
  });

  it('waits on a task token until it is sent back', async () => {
    const host = await startScriptedHost();
    await startRun(host.url, 'A', ['ask', 'end:completed']);
    await until(async () => (await readRun(host.url, 'A')).token);
    expect((await post(host.url, '/asks/A/answer', {})).status).toBe(200);
    await reached(host.url, 'A', 'completed');
    expect((await closed(host, 'A-0001')).output).not.toContain('ignored');
  });

  it('waits as long as a step says, and goes on in the next segment when it says so', async () => {
    const host = await startScriptedHost();
    await startRun(host.url, 'A', ['wait:3000000', 'continue', 'tools', 'end:completed']);
    expect(await reached(host.url, 'A', 'completed')).toMatchObject({ segment: 2, recovered: ['continue'] });
    expect(await closed(host, 'A-0001')).toMatchObject({ status: 'SUCCEEDED', transitions: 7 });
  });

  it('gives up on an execution after 30 failures in a row, and tells recover', async () => {
    const host = await startScriptedHost();
    await startRun(host.url, 'A', ['broken']);
    expect(await closed(host, 'A-0001')).toMatchObject({ status: 'FAILED', error: FAIL.broken });
    expect(await until(async () => (await readRun(host.url, 'A')).recovered[0])).toBe('aws.states');
    expect(host.info().invocations['model-step'].failed).toBeGreaterThan(MAX_FAILURES);
  });

  it('refuses a data folder that another host uses, and names that host', async () => {
    const dataDir = temporaryFolder();
    const host = await startScriptedHost({ dataDir });
    const second = startHost({ dataDir, handlers: HANDLERS });
    await expect(second).rejects.toThrow(
      `Cannot use the folder "${dataDir}": another host uses it (process ${process.pid} at ${host.url})`,
    );
  });

  it('frees the data folder when it stops, and when it cannot start', async () => {
    const dataDir = temporaryFolder();
    const host = await startScriptedHost();
    const port = Number(new URL(host.url).port);
    await expect(startHost({ dataDir, handlers: HANDLERS, port })).rejects.toThrow('EADDRINUSE');
    const first = await startScriptedHost({ dataDir });
    await startRun(first.url, 'A', ['tools', 'end:completed']);
    await reached(first.url, 'A', 'completed');
    await first.stop();
    const second = await startScriptedHost({ dataDir });
    expect(await readRun(second.url, 'A')).toMatchObject({ status: 'completed', recovered: [] });
  });

  it('gives runs that an earlier host left unfinished their next segment', async () => {
    const dataDir = temporaryFolder();
    const first = await startScriptedHost({ dataDir });
    await startRun(first.url, 'A', ['tools', 'ask', 'tools', 'end:completed']);
    await startRun(first.url, 'B', ['end:completed']);
    await until(async () => (await readRun(first.url, 'A')).token);
    await closed(first, 'B-0001');
    await first.stop();
    const second = await startScriptedHost({ dataDir });
    await second.recovered;
    await until(() => second.info().invocations.ask.started === 1);
    await until(async () => (await post(second.url, '/asks/A/answer', {})).ok);
    expect(await reached(second.url, 'A', 'completed')).toMatchObject({ segment: 2, recovered: ['host'] });
    expect((await readRun(second.url, 'B')).recovered).toEqual([]);
  });

  it('counts what reaches the tables', async () => {
    const host = await startScriptedHost();
    await startRun(host.url, 'A', ['tools', 'end:completed']);
    await closed(host, 'A-0001');
    expect(host.info().storeOperations).toMatchObject({ PutItem: 1, GetItem: 2, UpdateItem: 1 });
    expect(host.info().bytesWritten).toBeGreaterThan(0);
  });
});
