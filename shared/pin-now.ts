import { sharedIn } from './branch.ts';
import type { Log } from './log.ts';
import type { Pin, ServedPin } from './pin.ts';
import { runningFold } from './running-fold.ts';

/** What the log says of a run's pin. */
interface Known {
  /** What the last `repin` pinned it to. */
  pin: ServedPin | undefined;
  /** The newest reply, and the model that it was asked of. */
  newest: { readonly seq: number; readonly model: string } | undefined;
  served: string[];
  /** A reply that another model served than the run is pinned to, which nobody has been asked about. */
  strange: { readonly seq: number; readonly model: string } | undefined;
  /** Tools that are not what they were when the newest reply asked for them. */
  changed: Set<string>;
}

const known = runningFold<Known>(
  () => ({ pin: undefined, newest: undefined, served: [], strange: undefined, changed: new Set() }),
  (now, record, log) => {
    // What the records that a fork shares say of a pin is of the run before it.
    if (record.seq <= sharedIn(log)) return;
    if (record.type === 'reply') {
      const { servedModel, seq, model } = record;
      now.changed = new Set();
      now.newest = { seq, model };
      if (servedModel === undefined || now.served.includes(servedModel)) return;
      if (now.served.length === 0) now.served = [servedModel];
      else now.strange = { seq, model: servedModel };
    }
    if (record.type !== 'answer') return;
    const ask = log[record.ask - 1];
    if (ask?.type === 'ask' && ask.questions.some(({ offers }) => offers?.of === 'served')) now.strange = undefined;
    const repinned = record.answers.find(({ decision, pin }) => decision === 'repin' && pin);
    if (!repinned?.pin) return;
    now.pin = repinned.pin;
    // Other code with the same model is no reason to take another for it.
    if (repinned.pin.served !== undefined || repinned.pin.model !== now.newest?.model) {
      now.served = [...(repinned.pin.served ?? [])];
      now.strange = undefined;
    }
    for (const tool of repinned.changedTools ?? []) now.changed.add(tool);
  },
);

/** What a run is pinned to: what it was started with, or what the last `repin` in its log gave it. */
export function pinNow(pin: Pin, log: Log): ServedPin {
  const { pin: now, served } = known(log);
  const { served: _, ...rest } = now ?? (pin as ServedPin);
  return served.length > 0 ? { ...rest, served: [...served] } : rest;
}

/** The models that the provider said it served, and that nobody objected to; the first that it named, until somebody is asked. */
export const servedModels = (log: Log): readonly string[] => known(log).served;

/** The model of the newest reply, when it is not one that the run is pinned to, and nobody has answered about it. */
export function strangeModel(log: Log): string | undefined {
  const { strange, newest } = known(log);
  return strange !== undefined && strange.seq === newest?.seq ? strange.model : undefined;
}

/** Names the tools that a `repin` since the newest reply has changed or taken away. */
export const changedTools = (log: Log): ReadonlySet<string> => known(log).changed;

/** Whether two pins are the same but for the models that were served. */
export const isSamePin = (a: Pin, b: Pin): boolean => a.machine === b.machine && a.model === b.model && a.hash === b.hash;
