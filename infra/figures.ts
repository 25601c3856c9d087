import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { DIMENSION, type MetricName, NAMESPACE } from '../shared/metrics.ts';
import { RUN_TABLE } from '../shared/tables.ts';
import type { DurableAgents } from './durable-agents.ts';

/** What is watched. */
export type Watched = Pick<DurableAgents, 'tables' | 'functions' | 'machine' | 'api' | 'mail' | 'undelivered' | 'settings'>;

/** A figure that functions measure. */
export const figure = (stage: string, metricName: MetricName, statistic: string, minutes = 5): Metric =>
  new Metric({ namespace: NAMESPACE, metricName, statistic, period: Duration.minutes(minutes), dimensionsMap: { [DIMENSION]: stage } });

/** Figures added up, under a label of one word. An alarm may look at ten at most. */
export const sum = (label: string, metrics: IMetric[], minutes = 5): MathExpression =>
  new MathExpression({
    label,
    expression: metrics.map((_, i) => `FILL(${label}${i}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(metrics.map((metric, i) => [`${label}${i}`, metric])),
    period: Duration.minutes(minutes),
  });

/** What share of a whole went wrong, percent; 0 while it is fewer than `atLeast`: one of two says nothing. */
export const share = (label: string, wrong: IMetric, whole: IMetric, atLeast: number, minutes = 15): MathExpression =>
  new MathExpression({
    label,
    expression: `IF(FILL(wrong, 0) >= ${atLeast}, 100 * FILL(wrong, 0) / FILL(whole, 1), 0)`,
    usingMetrics: { wrong, whole },
    period: Duration.minutes(minutes),
  });

/** Calls to tables that were throttled: one figure for each way in. */
export function tableThrottles({ tables }: Watched): Metric[] {
  const { runs, idempotency } = tables;
  return [
    throttles(runs, 'ReadThrottleEvents'),
    throttles(runs, 'WriteThrottleEvents'),
    throttles(runs, 'ReadThrottleEvents', RUN_TABLE.byStatus),
    throttles(idempotency, 'WriteThrottleEvents'),
  ];
}

const throttles = ({ tableName }: Table, metricName: string, index?: string): Metric =>
  new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    statistic: 'Sum',
    dimensionsMap: { TableName: tableName, ...(index ? { GlobalSecondaryIndexName: index } : {}) },
  });
