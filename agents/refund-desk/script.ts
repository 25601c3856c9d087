import type { Json } from '../../shared/json.ts';
import type { Script, ScriptedReply, Situation } from '../../shared/model.ts';
import type { Result } from '../../shared/record.ts';
import { money, orderOf } from './orders.ts';

/** What plays the model without a key: looks the orders up together, refunds what can be refunded, tells the customer. */
export const refundScript: Script = (situation) => (STEPS[situation.turn] ?? done)(situation);

type Step = (situation: Situation) => ScriptedReply;

/** The most orders of one request. */
const MOST = 8;

function lookUp({ input }: Situation): ScriptedReply {
  const orderIds = orderIdsIn(input);
  if (orderIds.length === 0) return { text: 'Which order is this about? Please send its number, such as A-1001.' };
  return { text: 'I look the orders up first.', calls: orderIds.map((orderId) => ({ tool: 'lookup_order', input: { orderId } })) };
}

function refund({ results }: Situation): ScriptedReply {
  const orders = fieldsOf(results).filter(({ found, amountCents }) => found === true && typeof amountCents === 'number');
  if (orders.length === 0) return { text: 'I find none of these orders, so I refund nothing.' };
  const calls = orders.map(({ orderId, amountCents }) => ({
    tool: 'issue_refund',
    input: { orderId: String(orderId), amountCents: Number(amountCents), reason: 'The goods arrived damaged' },
  }));
  return { text: `I refund ${calls.length === 1 ? 'one order' : `${calls.length} orders`}.`, calls };
}

function tell({ input, results }: Situation): ScriptedReply {
  const booked = fieldsOf(results).filter(({ refundId }) => refundId !== undefined);
  const refused = results.length - booked.length;
  const sums = booked.map(({ orderId, amountCents, currency }) => `${money(Number(amountCents), String(currency))} for order ${orderId}`);
  const news = [
    ...(sums.length > 0 ? [`We have paid back ${sums.join(' and ')}.`] : []),
    ...(refused > 0 ? [`We could not pay back ${refused === 1 ? 'one order' : `${refused} orders`}; a colleague will write to you.`] : []),
  ];
  const orderId = orderIdsIn(input).find((id) => orderOf(id)) ?? '';
  return { text: news.join(' '), calls: [{ tool: 'tell_customer', input: { orderId, text: news.join(' ') } }] };
}

function report({ results }: Situation): ScriptedReply {
  const [mail] = fieldsOf(results);
  return {
    text: mail?.mailId === undefined ? 'Done, but the customer could not be told.' : `Done. The customer was told by mail to ${mail.to}.`,
  };
}

const done: Step = ({ messages }) => ({
  text: messages.length > 0 ? 'Thank you; there is nothing more to do here.' : 'There is nothing more to do.',
});

const STEPS: readonly Step[] = [lookUp, refund, tell, report];

/** The order numbers in whatever the request is, each once. */
const orderIdsIn = (input: Json): string[] =>
  [...new Set((JSON.stringify(input).match(/\b[A-Z]-\d{4}\b/gi) ?? []).map((id) => id.toUpperCase()))].slice(0, MOST);

const fieldsOf = (results: readonly Result[]): { [key: string]: Json }[] =>
  results.flatMap(({ ok, output }) => (ok && output !== null && typeof output === 'object' && !Array.isArray(output) ? [output] : []));
