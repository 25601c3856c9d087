import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { defineAgent } from '../shared/agent.ts';
import type { Script } from '../shared/model.ts';
import { defineTool } from '../shared/tool.ts';
import { replyText, resultText } from './load.ts';

/** The input of a benchmark's run. */
export interface Load {
  readonly turns: number;
  readonly tool: 'read_text' | 'write_text';
  /** How long the tool takes on its first try, ms: so that a kill can hit it at work. */
  readonly holdMs?: number;
}

const tool = (name: Load['tool'], effect: 'read' | 'idempotent') =>
  defineTool({
    name,
    description: 'Returns the text of a turn',
    effect,
    input: z.object({ turn: z.int(), holdMs: z.number().optional() }),
    execute: async ({ turn, holdMs = 0 }, { attempt }) => {
      if (holdMs > 0 && attempt === 1) await pause(holdMs);
      return resultText(turn);
    },
  });

const script: Script = ({ input, turn }) => {
  const { turns, tool, holdMs } = input as unknown as Load;
  if (turn >= turns) return { text: 'Done.' };
  return { text: replyText(turn), calls: [{ tool, input: { turn, ...(holdMs ? { holdMs } : {}) } }] };
};

/** Agents whose every turn is the same, but for its text. */
export const agents = [
  defineAgent({
    name: 'bench',
    description: 'Makes one call a turn',
    model: 'scripted/bench',
    instructions: 'Make one call a turn.',
    tools: [tool('read_text', 'read'), tool('write_text', 'idempotent')],
    // No summary comes between its turns.
    policy: { maxTurns: 1_000_000, compaction: { atTokens: 1_000_000_000 } },
    script,
  }),
  defineAgent({
    name: 'bench-long',
    description: 'Makes one call a turn, and outgrows its view again and again',
    model: 'scripted/bench-long',
    instructions: 'Make one call a turn.',
    tools: [tool('read_text', 'read')],
    policy: { maxTurns: 1_000_000, compaction: { atTokens: 20_000, keepTokens: 4_000 } },
    script,
  }),
];
