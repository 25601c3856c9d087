import type { ModelOutcome, ModelRequest, ViewMessage } from '../../shared/model.ts';
import type { Reply, Result } from '../../shared/record.ts';

/** A request to a model with one user message, for tests to change. */
export const modelRequest = (model: string, changes: Partial<ModelRequest> = {}): ModelRequest => ({
  runId: '01J00000000000000000000000',
  model,
  settings: {},
  instructions: 'Answer briefly.',
  tools: [lookupOrder, { ...lookupOrder, name: 'issue_refund', description: 'Refunds an order.' }],
  view: () => [user('Where is order A1?')],
  situation: { input: 'Where is order A1?', turn: 0, results: [], messages: [], attempt: 1 },
  script: undefined,
  signal: new AbortController().signal,
  ...changes,
});

const lookupOrder = {
  name: 'lookup_order',
  description: 'Finds an order.',
  inputSchema: { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'], additionalProperties: false },
};

export const user = (text: string): ViewMessage => ({ role: 'user', text });

type ReplyOutcome = Extract<ModelOutcome, { kind: 'reply' }>;

/** The outcome as a reply. Throws an Error that shows it when it is none. */
export function asReply(outcome: ModelOutcome): ReplyOutcome {
  if (outcome.kind !== 'reply') throw new Error(`Not a reply: ${JSON.stringify(outcome)}`);
  return outcome;
}

/** The record that a model step makes of an outcome, after a trip through storage. */
export function replyRecord(seq: number, outcome: ModelOutcome): Reply {
  const { kind: _, calls, ...reply } = asReply(outcome);
  const judged = calls.map(({ providerId, tool, input = null, ...more }, index) => ({
    index,
    providerId,
    tool,
    input,
    inputHash: '',
    class: 'read',
    ...more,
  }));
  return JSON.parse(JSON.stringify({ v: 1, seq, at: 0, type: 'reply', model: 'm', ms: 1, attempts: 1, calls: judged, ...reply }));
}

/** A reply and its results, as the view shows a turn. */
export function turn(reply: Reply, ...results: Partial<Result>[]): ViewMessage[] {
  const all = results.map((result, index) => ({ index, ok: true, output: 'done', attempts: 1, ...result }));
  return [
    { role: 'assistant', reply },
    { role: 'tool', reply, results: all },
  ];
}
