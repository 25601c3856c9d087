import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, it } from 'vitest';
import { ShopStack } from '../../docs/examples/shop-stack.ts';
import { DurableAgents } from '../../infra/durable-agents.ts';
import { HANDLERS, withApp } from './synthesized.ts';

it('DurableAgents stand in the stack that the pages show', () => {
  const template = withApp((app) => Template.fromStack(new ShopStack(app, 'Shop')));
  template.resourceCountIs('AWS::StepFunctions::StateMachine', 1);
});

describe('DurableAgents in the stack of another app', () => {
  const template = withApp((app) => {
    const stack = new Stack(app, 'Shop');
    const agents = new DurableAgents(stack, 'Agents', { stage: 'shop', handlers: HANDLERS });
    new DurableAgents(stack, 'Trials', { stage: 'trials', removal: 'destroy', handlers: HANDLERS });
    agents.grantCalls(new Role(stack, 'Caller', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }));
    const bucket = new Bucket(stack, 'Receipts');
    bucket.grantPut(agents.toolStep);
    agents.toolStep.addEnvironment('RECEIPTS', bucket.bucketName);
    return Template.fromStack(stack);
  });
  const namesOf = (type: string, property: string) =>
    Object.values(template.findResources(type)).map(({ Properties }) => Properties[property]);

  it('stands beside another stage of it, with no name in common', () => {
    for (const [type, property] of [
      ['AWS::Lambda::Function', 'FunctionName'],
      ['AWS::StepFunctions::StateMachine', 'StateMachineName'],
      ['AWS::ApiGatewayV2::Api', 'Name'],
      ['AWS::SQS::Queue', 'QueueName'],
      ['AWS::Logs::LogGroup', 'LogGroupName'],
    ] as const) {
      // What empties the bucket of a trial has a name that CloudFormation makes.
      const names = namesOf(type, property).filter((name) => name !== undefined);
      expect(names.length).toBeGreaterThan(1);
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/\b(shop|trials)\b/);
    }
  });

  it('lets a caller call its API, and its tools do what they need', () => {
    const policies = Object.entries(template.findResources('AWS::IAM::Policy')).map(([id, { Properties }]) => [
      id,
      JSON.stringify(Properties),
    ]);
    const of = (pattern: RegExp) => policies.find(([id = '']) => pattern.test(id))?.[1];
    expect(of(/^Caller/)).toContain('"execute-api:Invoke"');
    expect(of(/^AgentsFunctionstoolstep/)).toMatch(/"Receipts\w+","Arn"/);
    expect(of(/^AgentsFunctionsmodelstep/)).not.toMatch(/"Receipts\w+","Arn"/);
    const tools = Object.values(template.findResources('AWS::Lambda::Function')).find(
      ({ Properties }) => Properties.FunctionName === 'holdfast-shop-tool-step',
    );
    expect(tools?.Properties.Environment.Variables.RECEIPTS).toEqual({ Ref: expect.stringMatching(/^Receipts/) });
  });

  it('is tagged with its stage', () => {
    for (const { Properties } of Object.values(template.findResources('AWS::StepFunctions::StateMachine'))) {
      const stage = Properties.StateMachineName.replace('holdfast-', '');
      expect(Properties.Tags).toContainEqual({ Key: 'holdfast:stage', Value: stage });
    }
  });

  it('refuses a wrong setting', () => {
    const make = () => withApp((app) => new DurableAgents(new Stack(app, 'Shop'), 'Agents', { stage: 'Shop' }));
    expect(make).toThrow('Cannot use these settings of Holdfast: stage: ');
  });
});
