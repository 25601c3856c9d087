import { type Agent, defineAgent } from '../../shared/agent.ts';
import { dataFolder, readTools } from './data.ts';
import { tauRetailScript } from './script.ts';
import { MODES } from './shop/desk.ts';
import { toolsFor } from './tools.ts';

/** Why each mode of the shop is worth a run of its own. */
const DESCRIPTIONS: Record<(typeof MODES)[number], string> = {
  keys: 'Serves customers of a shop that does a thing once under one key',
  find: 'Serves customers of a shop that can be asked whether it did a thing',
  blind: 'Serves customers of a shop that repeats whatever it is told, and cannot be asked',
};

const described = readTools(dataFolder());

/** The shop's agents, one for each way in which the shop treats a repeated request. */
export const agents: readonly Agent[] = MODES.map((mode) =>
  defineAgent({
    name: `tau-retail-${mode}`,
    description: DESCRIPTIONS[mode],
    model: `scripted/tau-retail-${mode}`,
    instructions: 'Do the task with the tools of the shop, then say that it is done.',
    tools: toolsFor(described, mode),
    script: tauRetailScript,
  }),
);
