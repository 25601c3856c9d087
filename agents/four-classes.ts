import * as z from 'zod';
import { defineAgent } from '../shared/agent.ts';
import type { Script } from '../shared/model.ts';
import { type EffectClass, effectClass } from '../shared/record.ts';
import { defineTool, type ToolContext } from '../shared/tool.ts';
import type { Mode } from './refund-desk/ledger.ts';
import { book, findBooking, readRates } from './refund-desk/provider-client.ts';

/** The same payment under each effect class, to see side by side what a crash does to it. */

const input = z.object({ amountCents: z.int().positive() });
const timeoutSeconds = 20;

const pay = async (mode: Mode, amountCents: number, context: ToolContext) => ({
  bookingId: (await book(mode, 'refunds', { amountCents }, context)).id,
});

const read = defineTool({
  name: 'read_rates',
  description: 'Read the exchange rates. Changes nothing.',
  input: z.object({}),
  effect: 'read',
  timeoutSeconds,
  execute: (_input, context) => readRates(context),
});

const idempotent = defineTool({
  name: 'pay_deduped',
  description: 'Pay through a provider that knows a repeated key.',
  input,
  effect: 'idempotent',
  timeoutSeconds,
  execute: ({ amountCents }, context) => pay('dedupes', amountCents, context),
});

const reconcile = defineTool({
  name: 'pay_askable',
  description: 'Pay through a provider that repeats whatever it is told, but can be asked.',
  input,
  effect: 'reconcile',
  timeoutSeconds,
  execute: ({ amountCents }, context) => pay('askable', amountCents, context),
  find: async (key, _input, context) => {
    const booking = await findBooking('refunds', key, context);
    return booking ? { happened: true, output: { bookingId: booking.id } } : { happened: false };
  },
});

const once = defineTool({
  name: 'pay_blind',
  description: 'Pay through a provider that repeats whatever it is told, and cannot be asked.',
  input,
  effect: 'once',
  timeoutSeconds,
  execute: ({ amountCents }, context) => pay('plain', amountCents, context),
});

const TOOL_OF: Record<EffectClass, string> = { read: read.name, idempotent: idempotent.name, reconcile: reconcile.name, once: once.name };

/** Calls the tool of the class that the input names, then says what came of it. */
export const fourClassesScript: Script = ({ input, turn, results }) => {
  const wanted = effectClass.safeParse((input as { class?: unknown } | null)?.class);
  if (!wanted.success) return { text: `Say {"class": "..."} with one of ${effectClass.options.join(', ')}.` };
  if (turn > 0) return { text: results.every(({ ok }) => ok) ? 'Done.' : 'It was not done.' };
  return { calls: [{ tool: TOOL_OF[wanted.data], input: wanted.data === 'read' ? {} : { amountCents: 1_000 } }] };
};

/** Makes one call of the effect class that its input names: the demonstration kills it in the middle. */
export const fourClasses = defineAgent({
  name: 'four-classes',
  description: 'Makes one call of the effect class named in {"class": "read" | "idempotent" | "reconcile" | "once"}',
  model: 'scripted/four-classes',
  instructions: 'Call the tool of the effect class that the input names, once, and say what came of it.',
  tools: [read, idempotent, reconcile, once],
  script: fourClassesScript,
});
