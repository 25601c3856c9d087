import type { Json } from './json.ts';
import type { Log } from './log.ts';
import type { Call, Result } from './record.ts';
import { runningFold } from './running-fold.ts';

/** An effect that took place, or whose outcome is open, by the call that first began it. */
export interface Committed {
  /** The reply and the place in it of the call. */
  readonly seq: number;
  readonly index: number;
  readonly tool: string;
  /** The arguments that it ran with. */
  readonly input: Json;
  /** What the newest result says of it. */
  readonly output: Json;
  readonly ok: boolean;
  readonly key: string;
  readonly state: 'done' | 'unknown';
}

/**
 * Lists what a run has done outside as its log stood at the record `through`: each effect once, by its key, oldest first,
 * with the newest result that speaks of it. Effects that failed or never began are not among them.
 */
export function committedEffects(log: Log, through = log.length): Committed[] {
  const byKey = new Map<string, Committed | undefined>();
  for (const { at, call, result } of effectResults(log).found) {
    if (at > through) break;
    const first = byKey.get(result.effect.key);
    byKey.set(result.effect.key, committedBy(first ?? call, result));
  }
  return [...byKey.values()].filter((each) => each !== undefined);
}

type Begun = Pick<Committed, 'seq' | 'index' | 'tool' | 'input'>;
type EffectResult = Result & { readonly effect: NonNullable<Result['effect']> };

function committedBy({ seq, index, tool, input }: Begun, { ok, output, effect: { key, state } }: EffectResult): Committed | undefined {
  return state === 'done' || state === 'unknown' ? { seq, index, tool, input, output, ok, key, state } : undefined;
}

/** Every result that speaks of an effect, with its call; `at` is the seq of its record. */
const effectResults = runningFold(
  () => ({ calls: [] as readonly Call[], found: [] as { readonly at: number; readonly call: Begun; readonly result: EffectResult }[] }),
  (fold, record) => {
    if (record.type === 'reply') fold.calls = record.calls;
    if (record.type !== 'results') return;
    for (const result of record.results) {
      const call = fold.calls[result.index];
      if (!call || !result.effect) continue;
      const begun = { seq: record.reply, index: result.index, tool: call.tool, input: result.edited?.input ?? call.input };
      fold.found.push({ at: record.seq, call: begun, result: { ...result, effect: result.effect } });
    }
  },
);
