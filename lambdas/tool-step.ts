import { stepHandler } from './lib/handler.ts';
import { performTools } from './lib/turn.ts';

/** Runs the calls of the open reply and records one result for each. */
export const handler = stepHandler('tools', performTools);
