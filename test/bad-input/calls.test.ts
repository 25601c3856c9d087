import { expect } from 'vitest';
import type { RunRecord } from '../../shared/record.ts';
import type { Made } from './call-agents.ts';
import { nested, noise } from './noise.ts';
import { type Outcome, playTable, type Row, says } from './plays.ts';

/** One call in the first reply; the second says that all is done. */
const call = (name: string, tool: string, input: object | string, outcome: Outcome): Row => {
  const made = typeof input === 'string' ? { tool, rawInput: input } : { tool, input };
  return { name, input: [{ calls: [made] }] as Made[], outcome };
};

const notRun = (words: RegExp): Outcome => ({ results: [[false, says(words)]], ran: [] });
const raw = (text: string, words: RegExp): Outcome => ({
  ...notRun(words),
  log: (records) => expect(firstCall(records)).toMatchObject({ input: null, rawInput: text }),
});

function firstCall(records: RunRecord[]) {
  const reply = records.find((record) => record.type === 'reply');
  return reply?.type === 'reply' ? reply.calls[0] : undefined;
}

const NOT_AN_OBJECT = /^Not run: the arguments of pay are not a JSON object/;
const TOOLS = /^Not run: there is no tool "refund". The tools are: list_orders, look_up, .*find_circle$/;

const ARGUMENTS: Row[] = [
  ...['', '   ', 'null', '""', '{}', ' \n'].map((text) =>
    call(`${JSON.stringify(text)} for a tool without parameters`, 'list_orders', text, { results: [[true, []]], ran: ['list_orders'] }),
  ),
  call('an empty text for a tool that needs one field', 'look_up', '', notRun(/expected string.*at item$/)),
  call('null for it', 'look_up', 'null', notRun(/at item$/)),
  call('a tool that is not there', 'refund', { item: 'a' }, notRun(TOOLS)),
  call('a tool without a name', '', { item: 'a' }, notRun(/there is no tool ""/)),
  call('a tool that is in every prototype', 'constructor', {}, notRun(/there is no tool "constructor"/)),
  call('a tool with a name of 100,000 letters', 't'.repeat(100_000), {}, { results: [[false, says(/^.{2000}$/)]], ran: [] }),
  call('keys without quotes', 'pay', '{item: a}', raw('{item: a}', NOT_AN_OBJECT)),
  call('half an object', 'pay', '{"item":"a"', raw('{"item":"a"', NOT_AN_OBJECT)),
  call('a list', 'pay', '[1,2]', raw('[1,2]', NOT_AN_OBJECT)),
  call('a text', 'pay', '"a"', raw('"a"', NOT_AN_OBJECT)),
  call('a number', 'pay', '42', raw('42', NOT_AN_OBJECT)),
  call('two objects', 'pay', '{"item":"a"}{"item":"b"}', raw('{"item":"a"}{"item":"b"}', NOT_AN_OBJECT)),
  call('true', 'pay', 'true', raw('true', NOT_AN_OBJECT)),
  call('an object in a fence', 'pay', '```json\n{"item":"a"}\n```', raw('```json\n{"item":"a"}\n```', NOT_AN_OBJECT)),
  call('a missing field', 'pay', { cents: 1 }, notRun(/^Not run: the arguments of pay are not valid: .*expected string.*at item$/)),
  call('null for a field', 'pay', { item: null }, notRun(/at item$/)),
  call('a wrong type', 'pay', { item: 'a', cents: '100' }, notRun(/expected (int|number).*at cents$/)),
  call('a number that is refused', 'pay', { item: 'a', cents: -1 }, notRun(/at cents$/)),
  call(
    'a number without end',
    'pay',
    '{"item":"a","cents":1e999}',
    notRun(/^Not run: the number 1e999 at cents has more digits than a number keeps/),
  ),
  call('a number of more digits than are kept', 'take_any', '{"value":{"account_id":7230914468201735681}}', {
    ...notRun(/^Not run: the number 7230914468201735681 at value.account_id has more digits than a number keeps\. Write it as a text/),
    log: (records) => expect(firstCall(records)).toMatchObject({ input: null, rawInput: '{"value":{"account_id":7230914468201735681}}' }),
  }),
  call('the same digits as a text', 'look_up', { item: '7230914468201735681' }, { results: [[true, '7230914468201735681']] }),
  call('a number that JavaScript writes otherwise', 'take_any', '{"value":[1.0,1E3,100000000000000000000]}', { results: [[true, 30]] }),
  call('keys that are not known', 'pay_guarded', { item: 'a', force: true, command: 'x' }, notRun(/has no argument "force", "command"$/)),
  call('a key named __proto__', 'pay', '{"item":"a","__proto__":{"cents":1}}', notRun(/has no argument "__proto__"$/)),
  call('a key named constructor', 'pay', { item: 'a', constructor: 1 }, notRun(/has no argument "constructor"$/)),
  call(
    '10,000 wrong numbers',
    'many',
    { numbers: Array.from({ length: 10_000 }, () => 'x') },
    { results: [[false, says(/^Not run[\s\S]{1993}$/)]] },
  ),
  call('arguments of 400 levels', 'take_any', `{"value":${nested(400)}}`, { results: [[true, 801]], ran: ['take_any'] }),
  call('arguments of 501 levels', 'take_any', `{"value":${nested(501)}}`, notRun(/not a JSON object of at most 500 levels$/)),
  call('arguments of 10,000 levels', 'take_any', `{"value":${nested(10_000)}}`, notRun(/not a JSON object of at most 500 levels$/)),
  call('half a character', 'look_up', { item: 'a\ud800' }, { results: [[true, 'a\ud800']] }),
  call('arguments that hardly pack', 'look_up', { item: noise(30_000) }, { results: [[true, noise(30_000)]] }),
  call('a schema that throws', 'transform_throws', { item: 'a' }, notRun(/transform_throws cannot be checked: the schema broke$/)),
  call(
    'a schema that makes no JSON',
    'transform_bigint',
    { item: '7' },
    notRun(/the schema of transform_bigint makes of its arguments what cannot be kept: item: the bigint 7$/),
  ),
  call('a schema that must be waited for', 'refine_later', { item: 'a' }, notRun(/refine_later cannot be checked: /)),
  {
    name: 'arguments that the tool changes: what is kept is what the model wrote',
    input: [{ calls: [{ tool: 'mutate', input: { list: ['a'] } }] }],
    outcome: { results: [[true, 2]], ran: ['mutate'], log: (records) => expect(firstCall(records)?.input).toEqual({ list: ['a'] }) },
  },
  {
    name: 'a wrong name beside a right one',
    input: [
      {
        calls: [
          { tool: 'refund', input: {} },
          { tool: 'look_up', input: { item: 'a' } },
        ],
      },
    ],
    outcome: {
      results: [
        [false, says(TOOLS)],
        [true, 'a'],
      ],
      ran: ['look_up'],
    },
  },
  {
    name: 'the same wrong call again and again: a person is asked',
    input: Array.from({ length: 5 }, () => ({ calls: [{ tool: 'refund', input: {} }] })),
    outcome: { ran: [], end: { asks: 'escalation', reason: 'repeated-call', text: /^refund failed 3 times/ } },
  },
];

/** The same value from a tool that reads, and from one that writes once. */
const given = (what: string, ok: boolean, output: unknown): Row[] =>
  ['give', 'give_once'].map((tool) => call(`${what} from ${tool}`, tool, { what }, { results: [[ok, output]], ran: ['give'] }));
const partly = (what: RegExp, kept: unknown) => ({
  error: says(new RegExp(`^The tool ran, but of its output this cannot be kept: ${what.source}`)),
  kept,
});
const lost = (why: RegExp) => says(new RegExp(`^The tool ran, but its output cannot be kept: ${why.source}`));

const OUTPUTS: Row[] = [
  ...given('undefined', true, '(no output)'),
  ...given('a function', false, lost(/it is a function$/)),
  ...given('a symbol', false, lost(/it is a symbol$/)),
  ...given('a bigint', false, partly(/n: the bigint 10$/, { n: null })),
  ...given('a circle', false, partly(/self: a circle back to what it is in$/, { name: 'me', self: null })),
  ...given('a toJSON that throws', false, lost(/it is it throws: not now$/)),
  ...given('a getter that throws', false, partly(/total: it throws: no total$/, { total: null })),
  ...given('a date', true, { at: '1970-01-01T00:00:00.000Z' }),
  ...given('an impossible date', false, lost(/it is a Date that is none$/)),
  ...given('NaN', false, partly(/n: NaN; list.0: Infinity; list.1: undefined; list.2: a function$/, { n: null, list: [null, null, null] })),
  ...given('a buffer', false, lost(/it is a Buffer of 2 bytes; return file\(\.\.\.\) to keep bytes$/)),
  ...given('a map', false, lost(/it is a Map of 1$/)),
  ...given('an error', false, lost(/it is the error "returned, not thrown"$/)),
  ...given('nothing in a list', false, partly(/1: undefined; 2: -Infinity$/, ['a', null, null])),
  ...given('minus zero', true, { n: -0 }),
  ...given('blanks', true, ' \n '),
  ...given('half a character', true, 'a\ud800b'),
  ...given('keys of every prototype', true, JSON.parse('{"__proto__":{"x":1},"constructor":2}')),
  ...given('500 levels', true, JSON.parse(nested(500))),
  ...given('501 levels', false, expect.objectContaining({ error: says(/more than 500 levels$/) })),
  ...given('10,000 levels', false, expect.objectContaining({ error: says(/more than 500 levels$/) })),
  ...given('20 MB', true, says(/^x{60000}$/)),
  ...given('26 MB', false, lost(/it has 26000002 bytes, and at most 25000000 can be kept$/)),
  ...given('what changes in 50 ms', true, { state: 'as returned' }),
];

/** A read that throws is told to the model; a write that throws leaves its outcome open, and a person is asked. */
const thrown = (what: string, words: RegExp): Row[] => [
  call(`${what} by a read`, 'fail', { what }, { results: [[false, says(new RegExp(`^${words.source}$`))]], ran: ['fail'] }),
  call(
    `${what} by a write`,
    'fail_once',
    { what },
    { ran: ['fail'], end: { asks: 'outcome-unknown', reason: 'outcome-unknown', text: words } },
  ),
];

const THROWS: Row[] = [
  ...thrown('a text', /out of paper/),
  ...thrown('an empty text', /it threw an empty text/),
  ...thrown('null', /it threw null/),
  ...thrown('undefined', /it threw undefined/),
  ...thrown('a number', /42/),
  ...thrown('a symbol', /Symbol\(x\)/),
  ...thrown('an object', /it threw \{"code":7\}/),
  ...thrown('an object with a message', /no paper/),
  ...thrown('an object without prototype', /it threw \{\}/),
  ...thrown('a circle', /it threw something that cannot be shown/),
  ...thrown('an error without words', /RangeError/),
  ...thrown('an error with a number for a message', /Error/),
  ...thrown('an error that throws when it is looked at', /it threw something that cannot be shown/),
  ...thrown('an error that throws when it is named', /it threw something that cannot be shown/),
  ...thrown('a message of 1 MB', /m{4000}/),
  call(
    'that nothing happened, by a write',
    'fail_once',
    { what: 'no effect' },
    { results: [[false, 'the bank was closed']], ran: ['fail'] },
  ),
];

const asked = (name: string, tool: string, kind: 'escalation' | 'outcome-unknown', text: RegExp): Row =>
  call(name, tool, {}, { ran: [tool], end: { asks: kind, reason: kind === 'escalation' ? 'repeated-call' : kind, text } });

const ENDINGS: Row[] = [
  call('never, by a read', 'hang', {}, { results: [[false, 'hang did not return within its limit of 1 s']], ran: ['hang'] }),
  asked('never, by a write', 'hang_once', 'outcome-unknown', /did not return within its limit of 1 s/),
  asked('the end of the process, by a read', 'exit', 'escalation', /^exit failed 1 times/),
  asked('the end of the process, by a write', 'exit_once', 'outcome-unknown', /its invocation ended before it was recorded/),
  asked('a failure that nobody waits for', 'float', 'escalation', /^float failed 1 times/),
  call('a log line that is no JSON', 'log_badly', {}, { results: [[true, 'logged']], ran: ['log_badly'] }),
];

const consent = (name: string, tool: string, text: RegExp): Row =>
  call(name, tool, { item: 'a', cents: 5 }, { ran: [], end: { asks: 'approval', reason: 'consent', text } });
const noKey = (name: string, tool: string, why: RegExp): Row =>
  call(name, tool, { item: 'a' }, notRun(new RegExp(`^Not run: no business key can be made from the arguments of ${tool}: ${why.source}`)));
const undecided = (name: string, tool: string): Row =>
  call(
    name,
    tool,
    { item: 'a' },
    { ran: [tool], end: { asks: 'outcome-unknown', reason: 'outcome-unknown', text: /the outside system cannot tell/ } },
  );

const AUTHORS: Row[] = [
  consent('a policy that throws', 'policy_throws', /^May policy_throws run\? The approval policy failed: the rule broke$/),
  consent('a policy that returns a promise', 'policy_promise', /returned a promise, which cannot be waited for$/),
  consent('a policy whose promise fails', 'policy_rejects', /returned a promise, which cannot be waited for$/),
  consent('a policy that returns nothing', 'policy_nothing', /This call needs consent$/),
  consent('a policy that gives no reason', 'policy_empty', /This call needs consent$/),
  consent('a policy with a reason of 100,000 letters', 'policy_long', /^May policy_long run\? r{1000}$/),
  call(
    'a policy that changes the arguments',
    'policy_mutates',
    { item: 'a', cents: 5 },
    { results: [[true, { paid: { item: 'a', cents: 5 } }]] },
  ),
  noKey('a key function that throws', 'key_throws', /no key today$/),
  noKey('a key function that returns nothing', 'key_undefined', /its key function must return a text/),
  noKey('a key function that returns a promise', 'key_promise', /its key function must return a text/),
  noKey('a key function whose promise fails', 'key_rejects', /its key function must return a text/),
  noKey('a key function that returns blanks', 'key_blank', /its key function must return a text/),
  noKey('a key function that returns an object', 'key_object', /its key function must return a text/),
  noKey('a key of 1,001 letters', 'key_long', /its key function must return a text/),
  undecided('a find that throws', 'find_throws'),
  undecided('a find that returns a text', 'find_rubbish'),
  undecided('a find that returns null', 'find_null'),
  undecided('a find that is not sure how to say true', 'find_maybe'),
  call(
    'a find that finds a circle',
    'find_circle',
    { item: 'a' },
    { results: [[false, partly(/self: a circle back/, { name: 'me', self: null })]], ran: ['find_circle'] },
  ),
];

playTable({ ARGUMENTS, OUTPUTS, THROWS, ENDINGS, AUTHORS });
