import type { Agent } from '../shared/agent.ts';
import { fourClasses } from './four-classes.ts';
import { refundDesk } from './refund-desk.ts';

/** Every agent that can be run. Add yours here. */
export const agents: readonly Agent[] = [refundDesk, fourClasses];
