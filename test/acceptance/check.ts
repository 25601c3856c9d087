import type { Finding } from './finding.ts';
import type { Stage } from './stage.ts';

/** How many tries a check took, a figure to print, and the points that no try came to. */
export type Tried = Pick<Finding, 'tried' | 'note' | 'missed'>;
export const ONCE: Tried = { tried: 1 };

/** One thing that must hold on a stage. */
export interface Check {
  readonly section: string;
  readonly name: string;
  /** Throws what does not hold. */
  readonly run: (stage: Stage) => Promise<Tried>;
}

/** Checks one thing after another. */
export async function* runChecks(stage: Stage, checks: readonly Check[]): AsyncGenerator<Finding> {
  for (const { section, name, run } of checks) {
    const finding = { section, name, ...ONCE, asked: 0 };
    try {
      yield { ...finding, ...(await run(stage)), faults: [] };
    } catch (error) {
      yield { ...finding, faults: [(error as Error).message] };
    } finally {
      await stage.simulator.tell('DELETE', 'faults');
    }
  }
}
