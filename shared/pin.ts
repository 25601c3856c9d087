import * as z from 'zod';
import { effectClass } from './effect-class.ts';

/** A pinned tool: what makes its writes safe, and the hash of all that the model and the tool step know of it. */
export const pinnedTool = z.object({ class: effectClass, hash: z.string() });

/** What P7 freezes when a run starts, small: texts by their hashes. Runs of older code have but model and machine. */
export const pin = z.object({
  /** `<provider>/<model id>`, as it is asked for. */
  model: z.string(),
  /** The ARN of the state machine that runs its segments: of the version that was in service when it started. */
  machine: z.string(),
  /** One hash over instructions, settings and tools: what every step compares. */
  hash: z.string().optional(),
  instructions: z.string().optional(),
  settings: z.string().optional(),
  tools: z.record(z.string(), pinnedTool).optional(),
});
export type Pin = z.infer<typeof pin>;

/** A pin as the log tells it: with the models that the provider said it served, and that nobody objected to. */
export const servedPin = pin.extend({ served: z.array(z.string()).optional() });
export type ServedPin = z.infer<typeof servedPin>;
