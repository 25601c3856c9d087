import * as z from 'zod';

/** What the tool's author says makes its writes safe (see `tool.ts`). */
export const effectClass = z.enum(['read', 'idempotent', 'reconcile', 'once']);
export type EffectClass = z.infer<typeof effectClass>;
