import { afterEach, describe, expect, it, vi } from 'vitest';
import { patientFetch } from '../../../../lambdas/lib/model/patient-fetch.ts';

afterEach(() => vi.restoreAllMocks());

describe('patientFetch()', () => {
  it("asks through an agent of Node's own that waits for ever", async () => {
    const fetched = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('hi'));
    await patientFetch('http://127.0.0.1/', { method: 'POST' });
    const init = fetched.mock.calls[0]?.[1] as { method: string; dispatcher: object };
    expect(init.method).toBe('POST');
    expect(optionsOf(init.dispatcher)).toMatchObject({ headersTimeout: 0, bodyTimeout: 0 });
  });
});

/** An agent keeps its options under a symbol of this description. */
function optionsOf(agent: object): unknown {
  const key = Object.getOwnPropertySymbols(agent).find(({ description }) => description === 'options');
  return key && (agent as Record<symbol, unknown>)[key];
}
