import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { DeclarationError } from '../../shared/errors.ts';
import { FUNCTIONS, MAX_CALL_SECONDS } from '../../shared/functions.ts';
import { defineTool, type ToolContext } from '../../shared/tool.ts';

const pay = { name: 'pay', description: 'Pay', input: z.object({ amount: z.number() }), effect: 'once', execute: () => 'paid' } as const;

/** Declares what no author in TypeScript could. */
const declaring = (more: object) => () => defineTool({ ...pay, ...more } as never);

describe('defineTool()', () => {
  test('defineTool() hands a good tool on as it is', () => {
    expect(defineTool(pay)).toBe(pay);
    for (const effect of ['read', 'idempotent', 'once'] as const) expect(defineTool({ ...pay, effect }).effect).toBe(effect);
    expect(declaring({ effect: 'reconcile', find: () => ({ happened: false }) })).not.toThrow();
    expect(
      declaring({ timeoutSeconds: MAX_CALL_SECONDS, maxAttempts: 1, approval: 'always', onRepeat: 'ask', key: () => 'k' }),
    ).not.toThrow();
    expect(declaring({ name: 'a'.repeat(64), approval: () => ({ reason: 'Dear' }) })).not.toThrow();
  });

  const NAME = 'its name must be 1 to 64 letters, digits, "_" or "-"';
  const DESCRIPTION = 'it needs a description, from which the model learns when to use it';
  const APPROVAL = 'approval must be never, always or a function of the input';
  const TIMEOUT = `timeoutSeconds must be above 0 and at most ${MAX_CALL_SECONDS}, not`;
  const TIMES = 'the times of its callback must be numbers above 0, in s, not';
  const ATTEMPTS = 'maxAttempts must be a whole number above 0, not';

  test.each([
    [{ name: '' }, `Cannot use tool "": ${NAME}`],
    [{ name: undefined }, `Cannot use tool "undefined": ${NAME}`],
    [{ name: 'pay ann' }, `Cannot use tool "pay ann": ${NAME}`],
    [{ name: 'pay\n' }, `Cannot use tool "pay\n": ${NAME}`],
    [{ name: 'a'.repeat(65) }, `Cannot use tool "${'a'.repeat(65)}": ${NAME}`],
    [{ description: ' ' }, `Cannot use tool "pay": ${DESCRIPTION}`],
    [{ description: undefined }, `Cannot use tool "pay": ${DESCRIPTION}`],
    [{ input: z.string() }, 'Cannot use tool "pay": its input must be a z.object(...)'],
    [{ input: { amount: 'number' } }, 'Cannot use tool "pay": its input must be a z.object(...)'],
    [{ input: undefined }, 'Cannot use tool "pay": its input must be a z.object(...)'],
    [{ execute: undefined }, 'Cannot use tool "pay": it needs an execute function'],
    [{ effect: 'write' }, 'Cannot use tool "pay": its effect must be one of read, idempotent, reconcile, once, not "write"'],
    [{ effect: undefined }, 'Cannot use tool "pay": its effect must be one of read, idempotent, reconcile, once, not "undefined"'],
    [{ effect: 'reconcile' }, 'Cannot use tool "pay": effect "reconcile" needs a find function'],
    [
      { input: z.object({ n: z.bigint() }) },
      'Cannot use tool "pay": its input has no JSON schema: BigInt cannot be represented in JSON Schema',
    ],
    [{ callback: { expiresInSeconds: 0 } }, `Cannot use tool "pay": ${TIMES} 0`],
    [{ callback: { expiresInSeconds: Number.POSITIVE_INFINITY } }, `Cannot use tool "pay": ${TIMES} Infinity`],
    [{ callback: { heartbeatSeconds: Number.NaN } }, `Cannot use tool "pay": ${TIMES} NaN`],
    [{ timeoutSeconds: 0 }, `Cannot use tool "pay": ${TIMEOUT} 0`],
    [{ timeoutSeconds: -1 }, `Cannot use tool "pay": ${TIMEOUT} -1`],
    [{ timeoutSeconds: MAX_CALL_SECONDS + 1 }, `Cannot use tool "pay": ${TIMEOUT} ${MAX_CALL_SECONDS + 1}`],
    [{ timeoutSeconds: Number.NaN }, `Cannot use tool "pay": ${TIMEOUT} NaN`],
    [{ maxAttempts: 0 }, `Cannot use tool "pay": ${ATTEMPTS} 0`],
    [{ maxAttempts: 1.5 }, `Cannot use tool "pay": ${ATTEMPTS} 1.5`],
    [{ onRepeat: 'never' }, 'Cannot use tool "pay": onRepeat must be run, reuse or ask, not "never"'],
    [{ effect: 'read', onRepeat: 'ask' }, 'Cannot use tool "pay": a tool that only reads has no onRepeat and no key'],
    [{ effect: 'read', key: () => 'k' }, 'Cannot use tool "pay": a tool that only reads has no onRepeat and no key'],
    [{ approval: 'sometimes' }, `Cannot use tool "pay": ${APPROVAL}`],
    [{ approval: true }, `Cannot use tool "pay": ${APPROVAL}`],
  ])('defineTool() says what is wrong with %o', (more, message) => {
    expect(declaring(more)).toThrow(new DeclarationError(message));
  });

  test('defineTool() says what is wrong with nothing at all', () => {
    expect(() => defineTool(undefined as never)).toThrow(new DeclarationError(`Cannot use tool "undefined": ${NAME}`));
  });

  test('defineTool() leaves a call time to be recorded in its function', () => {
    expect(MAX_CALL_SECONDS).toBeLessThan(FUNCTIONS['tool-step'].timeoutSeconds);
  });
});

describe('the types of a declaration', () => {
  const input = z.object({ orderId: z.string(), cents: z.number().optional() });
  type Input = { orderId: string; cents?: number | undefined };

  test('defineTool() infers the input of every function from the schema', () => {
    defineTool({
      name: 'pay',
      description: 'Pay',
      input,
      effect: 'reconcile',
      approval: (given) => {
        expectTypeOf(given).toEqualTypeOf<Input>();
        return false;
      },
      key: (given) => {
        expectTypeOf(given).toEqualTypeOf<Input>();
        return given.orderId;
      },
      execute: (given, context) => {
        expectTypeOf(given).toEqualTypeOf<Input>();
        expectTypeOf(context).toEqualTypeOf<ToolContext>();
        return { id: 1 };
      },
      find: (key, given) => {
        expectTypeOf(key).toEqualTypeOf<string>();
        expectTypeOf(given).toEqualTypeOf<Input>();
        return { happened: true, output: { id: 1 } };
      },
    });
  });

  test('defineTool() does not compile for what cannot work', () => {
    const base = { name: 'pay', description: 'Pay', input, execute: () => 1 } as const;
    // @ts-expect-error: nobody could ask whether it happened.
    expect(() => defineTool({ ...base, effect: 'reconcile' })).toThrow('needs a find function');
    // @ts-expect-error: an effect class has to be chosen.
    expect(() => defineTool(base)).toThrow('its effect must be one of');
    // @ts-expect-error: no such class.
    expect(() => defineTool({ ...base, effect: 'write' })).toThrow('not "write"');
    // @ts-expect-error: what reads has no effect to repeat.
    expect(() => defineTool({ ...base, effect: 'read', onRepeat: 'ask' })).toThrow('has no onRepeat');
    // @ts-expect-error: the input is an object.
    expect(() => defineTool({ ...base, effect: 'once', input: z.string() })).toThrow('z.object');
    // @ts-expect-error: the schema has no such field.
    defineTool({ ...base, effect: 'once', execute: ({ amount }) => amount });
    // @ts-expect-error: what find gives stands for what execute gives.
    defineTool({ ...base, effect: 'reconcile', execute: () => ({ id: 1 }), find: () => ({ happened: true, output: 'one' }) });
  });
});
