import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdfast } from '../cli/command.ts';
import { type Machine, startMachine } from './machine.ts';
import { nested } from './noise.ts';

let machine: Machine;
let folder: string;
/** A run that waits for consent, and one that is completed. */
let waiting: string;
let completed: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-bad-cli-'));
  writeFileSync(join(folder, 'blank.txt'), ' \n');
  writeFileSync(join(folder, 'deep.json'), nested(10_000));
  machine = await startMachine('api-agents.ts');
  waiting = await machine.start('two-payments');
  completed = await machine.start('echo');
  await Promise.all([machine.settled(waiting), machine.settled(completed)]);
});
afterAll(async () => {
  await machine?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Row {
  readonly name: string;
  /** `WAITING` and `COMPLETED` stand for the ids of runs, `FOLDER` for a folder. */
  readonly args: readonly string[];
  readonly stdin?: string;
  readonly code: number;
  /** The first line of what is said to the person. */
  readonly says: RegExp;
}

const row = (name: string, args: string[], code: number, says: RegExp, stdin?: string): Row => ({
  name,
  args,
  code,
  says,
  ...(stdin === undefined ? {} : { stdin }),
});

const WRONG_USE: Row[] = [
  row('an option that is not known', ['ls', '--bogus'], 2, /^unknown option '--bogus'$/),
  row('no agent', ['run'], 2, /^missing required argument 'agent'$/),
  row('three arguments for two', ['run', 'a', 'b', 'c'], 2, /^too many arguments for 'run'/),
  row('a file and a text', ['run', 'echo', '--input', 'a', '--file', 'b'], 2, /cannot be used with option '--file <path>'$/),
  row('a folder as file', ['run', 'echo', '--file', 'FOLDER'], 2, /^Cannot read the input from .*: EISDIR$/),
  row('a file that is not there', ['run', 'echo', '--file', 'FOLDER/none'], 2, /^Cannot read the input from .*: ENOENT$/),
  row('a blank file', ['run', 'echo', '--file', 'FOLDER/blank.txt'], 2, /^Cannot start a run: the input is blank$/),
  row('a blank text', ['run', 'echo', ''], 2, /^Cannot start a run: the input is blank$/),
  row('nothing on standard input', ['run', 'echo', '-'], 2, /^Cannot start a run: the input is blank$/, ''),
  row('a file of 10,000 levels', ['run', 'echo', '--file', 'FOLDER/deep.json'], 2, /^Cannot use the input: .* at most 500 levels/),
  row('a number without end', ['run', 'echo', '{"a":1e999}'], 2, /^Cannot use the input: .* finite numbers$/),
  row('a status that is none', ['ls', '--status', 'alive'], 2, /^option '--status <status>' argument 'alive' is invalid/),
  row(
    'a decision that is none',
    ['answer', 'WAITING', '--decision', 'maybe'],
    2,
    /^option '--decision <decision>' argument 'maybe' is invalid/,
  ),
  row('a run of no characters', ['show', ''], 2, /^Cannot find run "": give its id/),
  row('a run that climbs out', ['show', '../../agents'], 2, /^Cannot find run "..\/..\/agents": none of the latest/),
  row('a run with the codes of a terminal', ['show', '\u001b[2Jabcd'], 2, /^Cannot find run "abcd": none/),
  row('a message of no words', ['message', 'WAITING'], 2, /^missing required argument 'text'$/),
  row('an output that is no JSON', ['answer', 'WAITING', '--yes', '--output', '{'], 2, /^Cannot use --output "\{": it is no JSON/),
  row(
    'an output of 10,000 levels',
    ['answer', 'WAITING', '--yes', '--output', nested(10_000)],
    2,
    /^Cannot use --output: .* at most 500 levels/,
  ),
  row(
    'a call that is not asked about',
    ['answer', 'WAITING', '--call', '7=approve'],
    2,
    /^Cannot answer call "7=approve": the ask has a question about call 0, 1$/,
  ),
  row('an answer to a run that asks nothing', ['answer', 'COMPLETED', '--yes'], 2, /it is completed and asks nothing$/),
  row(
    'a port that is no number',
    ['serve', '--port', 'abc'],
    2,
    /^Cannot serve: --port must be a whole number from 0 to 65535, not "abc"$/,
  ),
  row('a port that is too large', ['serve', '--port', '65536'], 2, /not "65536"$/),
  row('a port below none', ['serve', '--port=-1'], 2, /not "-1"$/),
  row('agents that are not there', ['serve', '--agents', 'none.ts'], 2, /^Cannot serve: there is no module none\.ts to take agents from$/),
  row('a word after serve', ['serve', 'now'], 2, /^too many arguments for 'serve'/),
  row('an address of another kind', ['ls', '--url', 'ftp://x'], 2, /^Cannot use this address of the service/),
  row('an empty address', ['ls', '--url', ''], 2, /^Cannot use this address of the service/),
];

const REFUSED: Row[] = [
  row('an agent that is not there', ['run', 'nobody', 'x'], 1, /^There is no agent "nobody"; there are .* \(field: agent\)$/),
  row('an empty agent', ['run', '', 'x'], 1, /\(field: agent\)$/),
  row('a limit that is no number', ['ls', '--limit', 'many'], 1, /\(field: limit\)$/),
  row('a page after no run', ['ls', '--before', 'zzz'], 1, /\(field: before\)$/),
  row(
    'a key of 256 letters',
    ['run', 'echo', 'x', '--key', 'k'.repeat(256)],
    1,
    /must have 1 to 255 characters \(field: Idempotency-Key\)$/,
  ),
  row('a blank key', ['run', 'echo', 'x', '--key', ' '], 1, /must have 1 to 255 characters \(field: Idempotency-Key\)$/),
  row('a run that is not there', ['show', '01JDZ0000000000000000000AA'], 1, /^There is no run "01JDZ0000000000000000000AA" \(field: id\)$/),
  row('a blank message', ['message', 'WAITING', ' '], 1, /must not be blank \(field: text\)$/),
  row('a message above its limit', ['message', 'WAITING', 'x'.repeat(2_400_001)], 1, /at most 2400000 bytes of JSON \(field: text\)$/),
  row('cancelling what is completed', ['cancel', 'COMPLETED'], 1, /is completed \(final-reply\); start a new run$/),
  row('resuming what is completed', ['resume', 'COMPLETED'], 1, /is completed \(final-reply\); start a new run$/),
  row('an answer by nobody', ['answer', 'WAITING', '--yes', '--by', ' '], 1, /it must be a name, not blank \(field: by\)$/),
  row('a comment that is too long', ['answer', 'WAITING', '--no', '--comment', 'c'.repeat(4_001)], 1, /\(field: comment\)$/),
  row('an output with a yes', ['answer', 'WAITING', '--yes', '--output', '1'], 1, /"approve" takes none.*\(field: output\)$/),
];

const placed = (args: readonly string[]) =>
  args.map((arg) => arg.replace('WAITING', waiting).replace('COMPLETED', completed).replace('FOLDER', folder));

describe.each(Object.entries({ WRONG_USE, REFUSED }))('%s: one exit code, one sentence, and nothing changes', (_, rows) => {
  it.each(rows.map((row) => [row.name, row] as const))('%s', async (_, { args, stdin, code, says }) => {
    const before = await machine.everything();
    const ran = await holdfast(machine.host.url, placed(args), { cwd: folder, ...(stdin === undefined ? {} : { stdin }) });
    const [first, ...more] = ran.err.trimEnd().split('\n');
    expect({ code: ran.code, out: ran.out }).toEqual({ code, out: '' });
    expect(first).toMatch(says);
    expect(more.filter((line) => !line.startsWith('See "holdfast'))).toEqual([]);
    expect(await machine.everything()).toEqual(before);
  });
});
