import { deployedAgents } from './deployed-agents.ts';

/** What the second deployment brings. */
export const agents = deployedAgents('second');
