import type { FunctionName } from '../../shared/functions.ts';

/** Holdfast as it runs somewhere, with functions that can be killed. */
export interface Deployment {
  /** The address of the API as it is now; nobody may answer there. */
  url(): string;
  /** kill -9 of a process of a function, best one that is at work. Returns false when there was none. */
  killWorker(name: FunctionName): Promise<boolean>;
  /** What it did that it should not have. */
  readonly faults: readonly string[];
  stop(): Promise<void>;
}

/** What a service is started with. */
export interface DeploymentOptions {
  /** Where its data and its log may lie. */
  readonly folder: string;
  /** Variables for every function. */
  readonly environment: Record<string, string>;
  /** Events of an execution after which a run goes on in its next segment. */
  readonly eventLimit?: number | undefined;
}
