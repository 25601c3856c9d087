import { agentsOf } from './pin-editions.ts';

export const agents = agentsOf(1);
