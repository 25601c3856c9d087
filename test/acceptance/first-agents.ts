import { deployedAgents } from './deployed-agents.ts';

/** What the first deployment brings. */
export const agents = deployedAgents('first');
