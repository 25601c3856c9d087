import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Accepts findings of cdk-nag about a construct and all that is in it, by their rule, each for a reason. */
export function accept(construct: IConstruct, reasons: Record<string, string>): void {
  const rules = Object.entries(reasons).map(([rule, reason]) => ({ id: `${rule.split('-')[0]}::${rule}`, reason }));
  Validations.of(construct).acknowledge(...rules);
}

/** The rule about a resource with a wildcard in it. */
export const wildcard = (resource: string) => `AwsSolutions-IAM5[Resource::${resource}]`;
