import { stepHandler } from './lib/handler.ts';
import { performModel } from './lib/model-turn.ts';
import { withinDay } from './lib/within-day.ts';

/** Decides, and asks the model once when that is the answer. */
export const handler = stepHandler('model', withinDay(performModel));
