import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { accept, wildcard } from './accepted.ts';
import { secretArn } from './secret-arn.ts';
import type { Settings } from './settings.ts';

/** What lets a function ask models: the secret of providers' keys, and the models of Bedrock that are named. */
export const modelPolicies = (scope: Construct, { modelKeysSecret, bedrockModels }: Settings): PolicyStatement[] => [
  ...(modelKeysSecret ? [allow('secretsmanager:GetSecretValue', secretArn(scope, modelKeysSecret))] : []),
  ...bedrockModels.flatMap((id) => bedrockPolicies(scope, id)),
];

const allow = (action: string, resource: string, conditions: Record<string, unknown> = {}) =>
  new PolicyStatement({ actions: [action], resources: [resource], conditions });

/** An inference profile is named like its model, with a geography in front. It asks the model in Regions of its own choice. */
function bedrockPolicies(scope: Construct, id: string): PolicyStatement[] {
  const stack = Stack.of(scope);
  const arn = (resource: string, resourceName: string, place: { region?: string; account?: string } = {}) =>
    stack.formatArn({ service: 'bedrock', resource, resourceName, ...place });
  const geography = GEOGRAPHY.exec(id)?.[0];
  if (!geography) return [allow('bedrock:InvokeModel', arn('foundation-model', id, { account: '' }))];
  const profile = arn('inference-profile', id);
  const model = arn('foundation-model', id.slice(geography.length), { region: '*', account: '' });
  accept(scope, {
    [wildcard(`arn:<AWS::Partition>:bedrock:*::foundation-model/${id.slice(geography.length)}`)]:
      'The profile chooses among Regions, and only through it may the model be asked',
  });
  return [
    allow('bedrock:InvokeModel', profile),
    allow('bedrock:InvokeModel', model, { StringEquals: { 'bedrock:InferenceProfileArn': profile } }),
  ];
}

const GEOGRAPHY = /^(us|us-gov|eu|apac|jp|au|ca|global)\./;
