import { agents as storytellers } from '../runs/agents.ts';
import { agents as payers } from '../runs/ask-agents.ts';

/** The agents of the stories and of the asks together. */
export const agents = [...storytellers, ...payers];
