import type { Meta } from '../../shared/meta.ts';
import {
  DIMENSION,
  type Figures,
  figuresOf,
  figuresOfRunning,
  figuresOfSummary,
  figuresOfWaiting,
  METRICS,
  type MetricName,
  NAMESPACE,
} from '../../shared/metrics.ts';
import type { RunRecord } from '../../shared/record.ts';
import type { ViewSummary } from '../../shared/view-summary.ts';
import { type Line, writeLine } from './invocation.ts';
import { settings } from './settings.ts';

/** Writes figures to the function's log in CloudWatch's embedded metric format, from which it takes them: nothing is called. */
export function measure(figures: Figures, line: Line = {}): void {
  const Metrics = (Object.keys(figures) as MetricName[]).map((Name) => ({ Name, Unit: METRICS[Name] }));
  const format = { Timestamp: Date.now(), CloudWatchMetrics: [{ Namespace: NAMESPACE, Dimensions: [[DIMENSION]], Metrics }] };
  writeLine({ ...line, ...(Metrics.length > 0 ? { _aws: format, [DIMENSION]: settings().stage, ...figures } : {}) });
}

/** Writes that a record was recorded, and what it adds to the figures; nothing of what it says. */
export const measureRecord = (runId: string, record: RunRecord): void =>
  measure(figuresOf(record), { runId, message: `Recorded ${record.type} ${record.seq}` });

/** Writes that a summary was stored, and what it adds to the figures; nothing of what it says. */
export const measureSummary = (runId: string, summary: ViewSummary): void =>
  measure(figuresOfSummary(summary), { runId, message: `Stored the summary of records 2 to ${summary.seq}` });

/** Writes how it stands with the runs that run. */
export const measureRunning = (runs: readonly Meta[]): void => measure(figuresOfRunning(runs, Date.now()), { message: 'Running' });

/** Writes how it stands with the runs that wait for people. */
export const measureWaiting = (runs: readonly Meta[]): void => measure(figuresOfWaiting(runs, Date.now()), { message: 'Waiting' });
