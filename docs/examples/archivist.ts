import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { readResult } from '../../shared/read-result.ts';
import { setPlan } from '../../shared/set-plan.ts';
import { defineTool } from '../../shared/tool.ts';

const readFolder = defineTool({
  name: 'read_folder',
  description: 'Returns the documents of a folder',
  effect: 'read',
  input: z.object({ folder: z.string() }),
  modelOutput: { maxCharacters: 8_000 },
  execute: async ({ folder }, { signal }) => {
    const response = await fetch(`https://archive.example/folders/${encodeURIComponent(folder)}`, { signal });
    return response.text();
  },
});

export const archivist = defineAgent({
  name: 'archivist',
  description: 'Reads an archive, folder by folder',
  model: 'anthropic/claude-sonnet-5-5',
  instructions: 'Go through the folders you are given. Keep a plan, and say at the end what you found.',
  tools: [readFolder, setPlan(), readResult()],
  policy: { maxTurns: 5_000, compaction: { atTokens: 100_000, keepTokens: 20_000 } },
});
