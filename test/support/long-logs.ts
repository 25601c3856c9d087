import fc from 'fast-check';
import type { Log } from '../../shared/log.ts';
import { text } from './generators.ts';
import {
  answering,
  append,
  asking,
  askingAboutModel,
  bad,
  type CallSpec,
  call,
  ending,
  keyAt,
  logOf,
  ok,
  replying,
  type Step,
  saying,
  settling,
  task,
  user,
} from './log-builder.ts';

/** One turn of a run, and what may come around it. */
export interface Turn {
  readonly said: string;
  readonly calls: readonly {
    readonly tool: string;
    readonly size: number;
    /** What its output is made of. */
    readonly unit: string;
    readonly state: 'done' | 'unknown' | 'failed';
    readonly ok: boolean;
  }[];
  readonly asked: boolean;
  readonly message: string | undefined;
  readonly plan: string | undefined;
  /** A person lets the model try again. */
  readonly retried: boolean;
}

const simCall = fc.record({
  tool: fc.constantFrom('look', 'pay', 'mail'),
  size: fc.oneof({ weight: 8, arbitrary: fc.nat(200) }, { weight: 1, arbitrary: fc.nat(20_000) }),
  state: fc.constantFrom('done', 'done', 'unknown', 'failed'),
  ok: fc.boolean(),
  unit: fc.constantFrom('row ', 'row ', '返金', '🎉', 'Zm9vYmFy', '{"id":17},'),
});

const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 6, nil: undefined });

const turn: fc.Arbitrary<Turn> = fc.record({
  said: fc.oneof(
    fc.constantFrom('', ' \n', 'I go on.'),
    text,
    fc.nat(2_000).map((size) => 'words '.repeat(size / 6)),
    fc.nat(4_000).map((size) => '退款'.repeat(size / 2)),
  ),
  calls: fc.array(simCall, { maxLength: 4 }),
  asked: fc.boolean(),
  message: rarely(fc.oneof(text, fc.constant('Please hurry'), fc.constant('请快一点'.repeat(900)))),
  plan: rarely(fc.constantFrom('find the order', 'pay the bill', 'tell Ann')),
  retried: fc.nat(9).map((n) => n === 0),
});

/** Many turns, of all sizes. */
export const turns = fc.array(turn, { minLength: 1, maxLength: 40 });

/** As of a provider that counts nothing: all is estimated. */
export const UNCOUNTED = { inputTokens: 0, outputTokens: 0 };

/** The records of one turn. */
export function stepsOf({ said, calls, asked, message, plan, retried }: Turn, log: Log): Step[] {
  const seq = log.length + 1;
  const planned: CallSpec[] =
    plan === undefined ? [] : [call('set_plan', { class: 'read', input: { items: [{ text: plan, status: 'open' }] } })];
  const made = [...planned, ...calls.map(({ tool }, i) => call(tool, { class: tool === 'look' ? 'read' : 'once', input: { seq, i } }))];
  const parts = made.map(({ tool, input }, i) => ({
    type: 'tool-call',
    toolCallId: `call_${i}`,
    toolName: tool,
    input: JSON.stringify(input),
  }));
  const reply =
    made.length > 0
      ? replying({
          usage: UNCOUNTED,
          text: said,
          content: [{ type: 'text', text: said }, ...parts],
          calls: made.map((each, index) => ({ index, ...each })),
        })
      : { ...saying(said), usage: UNCOUNTED, content: [{ type: 'text', text: said }] };
  const results = calls.map(({ tool, size, unit, state, ok: fine }, i) => {
    const output = unit.repeat(size / unit.length);
    const given = fine ? ok({ output }) : bad(1, { output });
    return tool === 'look' ? given : { ...given, effect: { key: keyAt(seq, i + planned.length), state } };
  });
  return [
    reply,
    ...(made.length > 0 && asked ? [asking({ index: 0 }), answering('approve')] : []),
    ...(made.length > 0 ? [settling(...planned.map(() => ok({ output: 'planned' })), ...results)] : []),
    ...(retried ? [askingAboutModel('overloaded'), answering('retry')] : []),
    ...(message === undefined ? [] : [...(made.length === 0 ? [ending()] : []), user(message)]),
  ];
}

/** The logs of a run as each model step finds it, one after another: what was appended stays. */
export function* modelSteps(input: string, all: readonly Turn[]): Generator<Log> {
  let log: Log = append([], task(input));
  yield log;
  for (const each of all) {
    for (const step of stepsOf(each, log)) log = append(log, step);
    yield log;
  }
}

/** 40 turns, of which the one at `parallel` has four calls; every fifth says something between calls, and people are asked now and then. */
export function fortyTurns(parallel = 20): Log {
  const steps = Array.from({ length: 40 }, (_, i): Step[] => {
    const count = i === parallel ? 4 : 1;
    const calls = Array.from({ length: count }, (_, n) => call('look', { class: 'read', input: { turn: i, n } }));
    const content = calls.map(({ tool, input }, n) => ({
      type: 'tool-call',
      toolCallId: `call_${n}`,
      toolName: tool,
      input: JSON.stringify(input),
    }));
    const reply = replying({ usage: UNCOUNTED, content, calls: calls.map((each, index) => ({ index, ...each })) });
    return [
      reply,
      ...(i % 7 === 3 ? [asking({ index: 0 }), answering('approve')] : []),
      settling(...calls.map(() => ok({ output: `state of turn ${i}` }))),
      ...(i % 5 === 4
        ? [
            { ...saying(`Turn ${i} is done`), usage: UNCOUNTED, content: [{ type: 'text', text: `Turn ${i} is done` }] },
            user(`Go on after ${i}`),
          ]
        : []),
    ];
  });
  return logOf(task(), ...steps.flat());
}
