import { stepHandler } from './lib/handler.ts';
import { performModel } from './lib/model-turn.ts';

/** Decides, and asks the model once when that is the answer. */
export const handler = stepHandler('model', performModel);
