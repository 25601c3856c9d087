import type { Agent } from '../../shared/agent.ts';
import { bookkeeper } from './bookkeeper.ts';

export const agents: readonly Agent[] = [bookkeeper];
