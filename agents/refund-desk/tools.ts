import * as z from 'zod';
import { NoEffectError } from '../../shared/errors.ts';
import { defineTool } from '../../shared/tool.ts';
import { money, orderOf } from './orders.ts';
import { book, findBooking } from './provider-client.ts';

/** Refunds above this need the consent of a person. */
export const APPROVAL_LIMIT_CENTS = 10_000;

const orderId = z.string().min(1).max(20).describe('Order number, e.g. "A-1001"');

export const lookupOrder = defineTool({
  name: 'lookup_order',
  description: 'Look up an order: customer, item, amount paid, delivery date. Changes nothing.',
  input: z.object({ orderId }),
  effect: 'read',
  execute: ({ orderId }) => {
    const order = orderOf(orderId);
    return order ? { found: true, ...order } : { found: false, orderId };
  },
});

/** The provider dedupes by Idempotency-Key, so the effect key makes a repeated call harmless. */
export const issueRefund = defineTool({
  name: 'issue_refund',
  description: `Pay money back for an order. Refunds above ${money(APPROVAL_LIMIT_CENTS, 'EUR')} need the consent of a person, which is asked for by itself.`,
  input: z.object({
    orderId,
    amountCents: z.int().positive().describe('Amount in cents, at most what was paid'),
    reason: z.string().min(1).max(500),
  }),
  effect: 'idempotent',
  // The model may forget that it has refunded: the same call again in one run is a slip, never a second refund.
  onRepeat: 'reuse',
  timeoutSeconds: 20,
  approval: ({ orderId, amountCents }) =>
    amountCents > APPROVAL_LIMIT_CENTS && {
      reason: `A refund of ${money(amountCents, 'EUR')} for order ${orderId} is above the limit of ${money(APPROVAL_LIMIT_CENTS, 'EUR')}`,
    },
  execute: async ({ orderId, amountCents, reason }, context) => {
    const order = orderOf(orderId);
    if (!order) throw new NoEffectError(`Cannot refund order "${orderId}": there is no such order; look it up first`);
    if (amountCents > order.amountCents)
      throw new NoEffectError(`Cannot refund ${amountCents} cents for order ${orderId}: only ${order.amountCents} were paid`);
    const booking = await book('dedupes', 'refunds', { orderId: order.orderId, amountCents, currency: order.currency, reason }, context);
    return { refundId: booking.id, orderId: order.orderId, amountCents, currency: order.currency };
  },
});

/** Mail services do not dedupe, but can be searched by a tag that the sender sets: here, the effect key. */
export const tellCustomer = defineTool({
  name: 'tell_customer',
  description: 'Send the customer of an order a mail. One mail for the whole request is enough.',
  input: z.object({ orderId, text: z.string().min(1).max(4_000) }),
  effect: 'reconcile',
  timeoutSeconds: 20,
  execute: async ({ orderId, text }, context) => {
    const order = orderOf(orderId);
    if (!order) throw new NoEffectError(`Cannot write to the customer of order "${orderId}": there is no such order`);
    const booking = await book('askable', 'mails', { to: order.email, text }, context);
    return { mailId: booking.id, to: order.email };
  },
  find: async (key, { orderId }, context) => {
    const booking = await findBooking('mails', key, context);
    return booking ? { happened: true, output: { mailId: booking.id, to: orderOf(orderId)?.email ?? '' } } : { happened: false };
  },
});
