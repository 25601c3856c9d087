import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { machineHandler } from '../../../lambdas/lib/handler.ts';
import { synthesized } from '../../infra/synthesized.ts';

const invocation = { awsRequestId: 'b5a9a55e-0000-4000-8000-000000000000', getRemainingTimeInMillis: () => 1000 };

describe('machineHandler()', () => {
  it('returns what the work returns', async () => {
    expect(await machineHandler(async (event) => ({ event }))({ a: 1 }, invocation)).toEqual({ event: { a: 1 } });
  });

  it('throws briefly, with the name of the error and the id of the invocation, and logs all of it', async () => {
    const logged = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    onTestFinished(() => logged.mockRestore());
    const long = Object.assign(new Error('x'.repeat(100_000)), { name: 'ThrottlingException' });
    const thrown: Error = await machineHandler(() => Promise.reject(long))({}, invocation).catch((error) => error);
    expect(thrown).toMatchObject({
      name: 'ThrottlingException',
      message: expect.stringMatching(`^RequestId: ${invocation.awsRequestId} x{300}$`),
    });
    expect(thrown.stack).toBe('');
    const line = logged.mock.calls.map(([text]) => String(text)).find((text) => text.includes('ThrottlingException'));
    expect(JSON.parse(line ?? '')).toMatchObject({ level: 'error', error: 'ThrottlingException', trace: expect.any(Array) });
  });

  it('makes every handler that the state machine invokes: what they throw is carried by its execution', () => {
    const [machine] = Object.values(synthesized().findResources('AWS::StepFunctions::StateMachine'));
    const invoked = [...JSON.stringify(machine).matchAll(/Functions(\w+?)CurrentVersion/g)].map((match) => match[1] as string);
    const names = { modelstep: 'model-step', toolstep: 'tool-step', ask: 'ask', recover: 'recover' };
    expect(new Set(invoked)).toEqual(new Set(Object.keys(names)));
    for (const name of Object.values(names)) {
      expect(readFileSync(new URL(`../../../lambdas/${name}.ts`, import.meta.url), 'utf8')).toMatch(
        /export const handler = (machine|step)Handler\(/,
      );
    }
  });
});
