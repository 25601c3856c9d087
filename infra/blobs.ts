import { Duration, Stack } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { accept } from './accepted.ts';
import { removalOf } from './removal.ts';
import type { Settings } from './settings.ts';

/** The bucket of bodies that are too large for an item. It outlives its stack, as the table does that points into it. */
export class Blobs extends Construct {
  readonly bucket: Bucket;
  readonly logicalId: string;

  constructor(scope: Construct, settings: Settings) {
    super(scope, 'Blobs');
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // Nothing expires by itself: a blob is as old as its record. Versions would keep what was erased.
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      removalPolicy: removalOf(settings),
      autoDeleteObjects: settings.removal === 'destroy',
    });
    this.logicalId = Stack.of(this).getLogicalId(this.bucket.node.defaultChild as CfnBucket);
    accept(this, { 'AwsSolutions-S1': 'Only the functions reach it; CloudTrail can log data events where that is wanted' });
  }
}
