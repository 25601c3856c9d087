import { AttributeType, BillingMode, ProjectionType, Table, type TableProps } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { IDEMPOTENCY_TABLE, RUN_TABLE } from '../shared/tables.ts';
import { removalOf } from './removal.ts';
import type { Settings } from './settings.ts';

const string = (name: string) => ({ name, type: AttributeType.STRING });

/** A table outlives its stack: it holds the only copy of what runs did. */
const keptAs = (settings: Settings) =>
  ({
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: settings.removal === 'retain',
    removalPolicy: removalOf(settings),
  }) satisfies Partial<TableProps>;

/** Both tables: the runs, and Powertools' idempotency records. */
export class Tables extends Construct {
  readonly runs: Table;
  readonly idempotency: Table;

  constructor(scope: Construct, settings: Settings) {
    super(scope, 'Tables');
    const kept = keptAs(settings);
    this.runs = new Table(this, 'Runs', {
      ...kept,
      partitionKey: string(RUN_TABLE.partitionKey),
      sortKey: string(RUN_TABLE.sortKey),
      timeToLiveAttribute: RUN_TABLE.ttl,
    });
    this.runs.addGlobalSecondaryIndex({
      indexName: RUN_TABLE.byStatus,
      partitionKey: string('status'),
      sortKey: string('runId'),
      projectionType: ProjectionType.KEYS_ONLY,
    });
    this.idempotency = new Table(this, 'Idempotency', {
      ...kept,
      partitionKey: string(IDEMPOTENCY_TABLE.partitionKey),
      timeToLiveAttribute: IDEMPOTENCY_TABLE.ttl,
    });
  }
}
