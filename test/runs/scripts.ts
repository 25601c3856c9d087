import { filesIn } from '../../shared/file.ts';
import type { Script, ScriptedReply } from '../../shared/model.ts';
import { largeText } from './large-text.ts';

const call = (tool: string, item: string, more: Record<string, number> = {}) => ({ tool, input: { item, ...more } });
const calls = (...list: NonNullable<Extract<ScriptedReply, { calls?: unknown }>['calls']>[number][]): ScriptedReply => ({ calls: list });
const text = (said: string): ScriptedReply => ({ text: said });
/** Plays replies in order. */
const inOrder =
  (...replies: ScriptedReply[]): Script =>
  ({ turn }) =>
    replies[turn] ?? text('The script has no more lines');

/** What the model says in each story. */
export const SCRIPTS: Record<string, Script> = {
  'plain text': inOrder(text('Hello.')),
  'one read': inOrder(calls(call('look_up', 'a')), text('Read.')),
  'several reads in one reply': inOrder(calls(call('look_up', 'a'), call('look_up', 'b'), call('look_up', 'c')), text('Read.')),
  'an idempotent write': inOrder(calls(call('pay_idempotent', 'a')), text('Paid.')),
  'a reconcile write': inOrder(calls(call('pay_reconcile', 'a')), text('Paid.')),
  'a once write': inOrder(calls(call('pay_once', 'a')), text('Paid.')),
  'reads and writes in one reply': inOrder(
    calls(call('pay_idempotent', 'a'), call('look_up', 'b'), call('pay_reconcile', 'c'), call('look_up', 'd'), call('pay_once', 'e')),
    text('All done.'),
  ),
  'an approved write': inOrder(calls(call('look_up', 'a'), call('pay_guarded', 'b')), text('Done.')),
  'a denied write': inOrder(calls(call('look_up', 'a'), call('pay_guarded', 'b')), text('Not done.')),
  'a tool that fails before its effect': inOrder(calls(call('refuse', 'a')), text('Refused.')),
  'an idempotent tool that fails after its effect': inOrder(calls(call('throw_after_idempotent', 'a')), text('Done.')),
  'a once tool that fails after its effect': inOrder(calls(call('throw_after_once', 'a')), text('Done.')),
  'an overloaded model': ({ turn, attempt }) => {
    if (turn === 0 && attempt < 3) return { overloaded: 'the provider answered 529', waitSeconds: 1 };
    return turn === 0 ? calls(call('pay_once', 'a')) : text('Paid.');
  },
  'invalid arguments': inOrder(
    calls({ tool: 'pay_once', input: { thing: 'a' } }, { tool: 'pay', input: {} }, { tool: 'pay_once', rawInput: '{"item":' }),
    calls(call('pay_once', 'a')),
    text('Paid.'),
  ),
  'a failing read': inOrder(calls(call('fail_read', 'a'), call('look_up', 'b')), text('Not read.')),
  'cancelled while it waits for consent': inOrder(calls(call('pay_once', 'a')), calls(call('pay_guarded', 'b')), text('Never said.')),
  'erased while it waits': inOrder(calls(call('pay_once', 'a')), calls(call('pay_mailed', 'b')), text('Never said.')),
  'cancelled while the model is overloaded': ({ turn }) =>
    turn === 0 ? calls(call('pay_once', 'a')) : { overloaded: 'the provider answered 529', waitSeconds: 3600 },
  'cancelled while a tool is at work': inOrder(calls(call('pay_once', 'a', { holdMs: 20_000 })), text('Never said.')),
  'a message after the end': ({ turn, messages }) =>
    turn === 0 ? text('Done.') : turn === 1 ? calls(call('pay_once', messages[0] ?? '')) : text('Done again.'),
  'a write that two people consent to': inOrder(calls(call('pay_two', 'a')), text('Paid.')),
  'a write with other arguments': inOrder(calls(call('pay_guarded', 'more')), text('Paid.')),
  'a question to a person': inOrder(
    calls({ tool: 'ask_user', input: { question: 'Which colour?', options: ['red', 'green'] } }),
    calls(call('pay_once', 'a')),
    text('Paid.'),
  ),
  'calls whose results come later': inOrder(calls(call('order', 'a'), call('pay_once', 'b'), call('order', 'c')), text('There.')),
  'consent by a mailed link': inOrder(calls(call('pay_mailed', 'a')), text('Paid.')),
  'the next in line consents by a mailed link': inOrder(calls(call('pay_next', 'a')), text('Paid.')),
  'a call with a secret': inOrder(calls({ tool: 'set_key', input: { provider: 'x', key: 'sk-test-0000' } }), text('The key is set.')),
  'a model that is retired': ({ turn, model }) => {
    if (turn === 0) return calls(call('pay_guarded', 'a'));
    return model === 'scripted/successor' ? text('Paid.') : { rejected: 'model-not-found', reason: 'The model was retired' };
  },
  'nobody answers': inOrder(calls(call('pay_soon', 'a')), text('Not paid.')),
  'a summary in between': ({ turn }) => {
    if (turn === 0) return calls({ tool: 'set_plan', input: { items: [{ text: 'pay before and after', status: 'open' }] } });
    if (turn === 7) return text('Done.');
    // Two of these, and what is shown of a turn, fill the view: every other step has to sum up first.
    return {
      ...calls(call(turn === 1 || turn === 6 ? 'pay_once' : 'look_up', `item ${turn} ${'word '.repeat(60)}`)),
      text: 'word '.repeat(60),
    };
  },
  'restarted after writes that are done': inOrder(
    calls(call('pay_idempotent', 'a'), call('pay_reconcile', 'b'), call('pay_once', 'c')),
    calls(call('pay_guarded', 'd')),
    text('All done.'),
  ),
  'restarted while a once write is at work': inOrder(calls(call('pay_once', 'a', { holdMs: 6_000 })), text('Paid.')),
  'restarted while an idempotent write is at work': inOrder(calls(call('pay_idempotent', 'a', { holdMs: 6_000 })), text('Paid.')),
  'restarted while a reconcile write is at work': inOrder(calls(call('pay_reconcile', 'a', { holdMs: 6_000 })), text('Paid.')),
  'a restart that is restarted': inOrder(calls(call('pay_once', 'a')), calls(call('pay_guarded', 'b')), text('Done.')),
  'forked before a write': inOrder(calls(call('look_up', 'a')), calls(call('pay_once', 'b')), text('Paid.')),
  'forked after a write': ({ turn, messages }) =>
    messages.length > 0
      ? calls(call('pay_once', messages[0] as string))
      : turn < 2
        ? calls(call(turn ? 'pay_once' : 'look_up', 'a'))
        : text('Paid.'),
  'forked in an open turn': inOrder(calls(call('pay_once', 'a'), call('pay_guarded', 'b')), text('Done.')),
  'a fork of a fork': ({ turn, messages }) =>
    messages.length > 0
      ? calls(call('pay_once', messages[0] as string))
      : turn < 2
        ? calls(call(turn ? 'pay_once' : 'look_up', 'a'))
        : text('Paid.'),
  'a result of many megabytes': inOrder(calls(call('pay_largely', 'a')), text('Paid.')),
  'a reply and arguments of megabytes': inOrder(calls(call('pay_guarded', largeText(1_500_000))), text(largeText(1_500_000))),
  'a budget is reached and raised': inOrder(calls(call('pay_once', 'a')), text('Paid.')),
  'a budget is reached, and the run finishes up': ({ turn, finishing }) =>
    finishing ? text('So far: paid once.') : calls(call('pay_once', `item ${turn}`)),
  'a budget is reached, and the run is stopped': inOrder(calls(call('pay_once', 'a')), text('Never said.')),
  'a run that was stopped at its budget goes on': inOrder(calls(call('pay_once', 'a')), calls(call('pay_once', 'b')), text('Paid twice.')),
  'a tool returns pictures': ({ turn, results }) => {
    if (turn === 0) return calls(call('look_at', 'a'), call('photograph', 'b'));
    return text(results.flatMap(({ output }) => filesIn(output)).length === 3 ? 'Seen.' : 'Nothing to be seen.');
  },
  'exported, and read back as another run': inOrder(
    calls(call('photograph', 'a'), call('look_up', 'b')),
    calls(call('pay_once', 'c')),
    text('Done.'),
  ),
  'files from people': ({ turn, input }) =>
    turn === 0 ? text(filesIn(input).length === 1 ? 'Seen.' : 'Not seen.') : turn === 1 ? calls(call('pay_once', 'a')) : text('Paid.'),
  'several segments': ({ turn }) => (turn < 6 ? calls(call(turn % 2 ? 'pay_once' : 'look_up', `item ${turn}`)) : text('Done.')),
};
