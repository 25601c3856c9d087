import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import type { Script } from '../../shared/model.ts';
import { readResult } from '../../shared/read-result.ts';
import { setPlan } from '../../shared/set-plan.ts';
import { defineTool } from '../../shared/tool.ts';
import { payingOnce } from './pay-once.ts';
import { askWorld } from './world.ts';

/** How many turns a run has, and what becomes of its summaries. */
interface Input {
  readonly turns: number;
  readonly summaries?: 'plain' | 'empty' | 'cut' | 'long' | 'overloaded' | 'refused-once' | 'too-large';
  /** The model takes no view that has not been summed up since this turn. */
  readonly tooLargeAt?: number;
}

const note = 'A note of two hundred characters, so that a few turns fill the view of this run. '.repeat(3).slice(0, 200);

const script: Script = ({ input, turn, summarize, attempt }) => {
  const { turns, summaries = 'plain', tooLargeAt } = input as unknown as Input;
  if (summarize) return summaryOf(summaries, summarize, attempt);
  if (tooLargeAt === turn) return { rejected: 'too-large', reason: 'The provider answered 400, "prompt is too long"' };
  if (turn === 0) return { calls: [{ tool: 'set_plan', input: { items: [{ text: 'pay twice', status: 'open' }] } }] };
  if (turn >= turns) return { text: `Done after ${turns} turns.` };
  if (turn === 2 || turn === turns - 1) return { text: note, calls: [{ tool: 'pay_once', input: { item: `bill ${turn}` } }] };
  return { text: note, calls: [{ tool: 'look_up', input: { item: `item ${turn} ${note}` } }] };
};

function summaryOf(
  kind: NonNullable<Input['summaries']>,
  { after, through, before }: NonNullable<Parameters<Script>[0]['summarize']>,
  attempt: number,
) {
  const summary = `${before ?? 'Nothing before.'} Then ${after + 1} to ${through}.`;
  if (kind === 'empty') return { summary: ' \n' };
  if (kind === 'cut') return { summary: 'Half a summ', finish: 'cut' as const };
  if (kind === 'long') return { summary: 'word '.repeat(5_000) };
  if (kind === 'too-large') return { rejected: 'too-large' as const, reason: 'The provider answered 413' };
  if (kind === 'overloaded' && attempt < 3) return { overloaded: 'the provider answered 529', waitSeconds: 1 };
  if (kind === 'refused-once' && attempt === 1) return { summary: '' };
  return { summary: summary.slice(-300) };
}

const lookUp = defineTool({
  name: 'look_up',
  description: 'Reads an item',
  effect: 'read',
  input: z.object({ item: z.string() }),
  execute: ({ item }, { key }) => askWorld('/read', { key, name: 'look_up', input: item }),
});

const payOnce = payingOnce('pay_once');

const fail = defineTool({
  name: 'fail',
  description: 'Fails',
  effect: 'read',
  input: z.object({}),
  execute: () => {
    throw new Error(`It is locked. ${note.repeat(6)}`);
  },
});

const payReuse = defineTool({
  name: 'pay_reuse',
  description: 'Pays, and answers an equal call with what it paid',
  effect: 'once',
  onRepeat: 'reuse',
  input: z.object({ item: z.string() }),
  execute: ({ item }, { key }) => askWorld('/apply', { key, name: 'pay_reuse', input: item }),
});

/** Never learns. */
const stubborn: Script = () => ({ text: note.repeat(5), calls: [{ tool: 'fail', input: {} }] });

/** Pays, does much else, and pays the same again. */
const forgetful: Script = ({ turn }) => {
  if (turn === 12) return { text: 'Paid.' };
  if (turn === 0 || turn === 11) return { calls: [{ tool: 'pay_reuse', input: { item: 'the bill' } }] };
  return { text: note, calls: [{ tool: 'look_up', input: { item: `item ${turn} ${note}` } }] };
};

const report = defineTool({
  name: 'report',
  description: 'Returns a long report',
  effect: 'read',
  input: z.object({ lines: z.int() }),
  modelOutput: { maxCharacters: 2_000 },
  execute: ({ lines }) => `${'nothing of interest\n'.repeat(lines)}the end is what matters`,
});

/** Reads a report, and then the middle of it in so many parts as it needs. */
const reading: Script = ({ turn, results }) => {
  if (turn === 0) return { calls: [{ tool: 'report', input: { lines: 40_000 } }] };
  if (turn === 1) return { calls: [{ tool: 'read_result', input: { id: 'c2_0', from: 799_990 } }] };
  return { text: String(results[0]?.output) };
};

const small = { compaction: { atTokens: 1_200, keepTokens: 300 }, maxModelAttempts: 4 };

export const agents = [
  defineAgent({
    name: 'long',
    description: 'Takes as many turns as it is told',
    model: 'scripted/long',
    instructions: 'Take your turns.',
    tools: [lookUp, payOnce, setPlan()],
    policy: small,
    script,
  }),
  defineAgent({
    name: 'stubborn',
    description: 'Makes the same call again and again',
    model: 'scripted/stubborn',
    instructions: 'Insist.',
    tools: [fail],
    policy: small,
    script: stubborn,
  }),
  defineAgent({
    name: 'forgetful',
    description: 'Pays the same bill twice',
    model: 'scripted/forgetful',
    instructions: 'Pay.',
    tools: [lookUp, payReuse],
    policy: small,
    script: forgetful,
  }),
  defineAgent({
    name: 'reader',
    description: 'Reads what it is not shown',
    model: 'scripted/reader',
    instructions: 'Read.',
    tools: [report, readResult()],
    script: reading,
  }),
];
