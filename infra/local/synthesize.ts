import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type CfnElement, Stack } from 'aws-cdk-lib';
import type { Version } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import type { FunctionName } from '../../shared/functions.ts';
import { HoldfastStack } from '../stack.ts';
import type { Definition, MachineDefinition, TableDefinition } from './definition.ts';

type Resource = { Type: string; Properties: Record<string, unknown> };
type Part = string | { Ref: string } | { 'Fn::GetAtt': [string, string] };

/** Synthesizes the stack, without bundling its functions. */
function synthesize(handlers: string): Definition {
  const outdir = mkdtempSync(join(tmpdir(), 'holdfast-synth-'));
  try {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] }, outdir });
    const stack = new HoldfastStack(app, 'Holdfast', { handlers });
    const resources: Record<string, Resource> = app.synth().getStackByName(stack.stackName).template.Resources;
    return { machine: machineOf(stack, resources), tables: tablesOf(stack, resources) };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

const logicalId = (construct: IConstruct) => Stack.of(construct).getLogicalId(construct.node.defaultChild as CfnElement);

/** A version's id ends in a hash of its function, which is known only when it is resolved. */
const versionId = (version: Version): string => Stack.of(version).resolve((version.node.defaultChild as CfnElement).logicalId);

function machineOf(stack: HoldfastStack, resources: Record<string, Resource>): MachineDefinition {
  const names = new Map(
    Object.entries(stack.agents.functions.byName).map(([name, made]) => [versionId(made.currentVersion), name as FunctionName]),
  );
  const found = resources[logicalId(stack.agents.machine.stateMachine)]?.Properties.DefinitionString as { 'Fn::Join': [string, Part[]] };
  return JSON.parse(found['Fn::Join'][1].map((part) => resolve(part, names)).join(''));
}

function resolve(part: Part, names: Map<string, FunctionName>): string {
  if (typeof part === 'string') return part;
  const name = 'Ref' in part ? ({ 'AWS::Partition': 'aws' }[part.Ref] ?? names.get(part.Ref)) : undefined;
  if (!name) throw new Error(`Cannot resolve ${JSON.stringify(part)} in the state machine: it names neither a function nor the partition`);
  return name;
}

const CREATE_FIELDS = ['KeySchema', 'AttributeDefinitions', 'GlobalSecondaryIndexes', 'BillingMode'];

const tablesOf = (stack: HoldfastStack, resources: Record<string, Resource>): TableDefinition[] =>
  [stack.agents.tables.runs, stack.agents.tables.idempotency].map((table) => {
    const found = Object.entries(resources[logicalId(table)]?.Properties ?? {});
    return { name: table.node.id, create: Object.fromEntries(found.filter(([key]) => CREATE_FIELDS.includes(key))) };
  });

/** The script: `node synthesize.ts <handlers>` prints the definition as JSON. */
process.stdout.write(JSON.stringify(synthesize(process.argv[2] as string)));
