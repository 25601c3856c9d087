import { defineAgent } from '../shared/agent.ts';
import { refundScript } from './refund-desk/script.ts';
import { issueRefund, lookupOrder, tellCustomer } from './refund-desk/tools.ts';

/**
 * The model that plays when its key (ANTHROPIC_API_KEY) is set; without one, the script below plays.
 * HOLDFAST_MODEL takes its place in new runs, e.g. HOLDFAST_MODEL=openai/gpt-5.2.
 */
const MODEL = 'anthropic/claude-sonnet-5-5';

/** Pays customers back for damaged goods: small amounts by itself, large ones when a person consents. */
export const refundDesk = defineAgent({
  name: 'refund-desk',
  description: 'Pays customers back for damaged goods, and asks before large amounts',
  model: MODEL,
  modelSettings: { maxOutputTokens: 2_048 },
  instructions: [
    'You work at the refund desk of a furniture shop.',
    'First look up every order of the request, all in one reply.',
    'Then refund the full amount of each order that exists, all in one reply. Never refund an order that you have not looked up.',
    'A refund that a person has denied is final: do not ask for it again.',
    'Last, send the customer one mail that says what was paid back and what was not, and finish with one short sentence.',
  ].join('\n'),
  tools: [lookupOrder, issueRefund, tellCustomer],
  policy: { maxTurns: 30 },
  script: refundScript,
});
