import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { synthesize } from './assembly.ts';

/**
 * The simulator changes no function after it was made. What an account holds after two deployments is therefore laid beside
 * each other: the first as it was, whose versions are retained, and the second under another stage's names, with the first
 * one's tables and secrets in place of its own.
 */
export const SECOND_STAGE = 'second';
/** The stage of the first, as settings have it that name none. */
export const FIRST_STAGE = 'dev';

/** The second deployment takes tokens in place of signatures. */
export const JWT = { issuer: 'https://login.example.test', audience: 'desk' };

type Template = {
  readonly Resources: Record<
    string,
    { readonly Type: string; readonly DependsOn?: unknown; readonly Properties?: Record<string, unknown> }
  >;
  Outputs?: Record<string, unknown>;
};

/** What holds data outlives a deployment. */
const KEPT_TYPES = ['AWS::DynamoDB::Table', 'AWS::SecretsManager::Secret', 'AWS::S3::Bucket', 'AWS::S3::BucketPolicy'];

/** Synthesizes the agents of a module as the deployment after the one in `assembly`, and adds it there. */
export async function addSecondDeployment(agents: string, assembly: string): Promise<void> {
  const settings = { 'holdfast:stage': SECOND_STAGE, 'holdfast:jwt.issuer': JWT.issuer, 'holdfast:jwt.audience': JWT.audience };
  await synthesize(agents, join(assembly, SECOND_STAGE), settings);
  const files = { first: templateIn(assembly), second: templateIn(join(assembly, SECOND_STAGE)) };
  const first = read<Template>(files.first);
  const shared = sharedBy(read<Template>(files.second));
  write(files.first, { ...first, Outputs: { ...first.Outputs, ...shared.outputs } });
  write(files.second, shared.template);
  const manifest = read<{ artifacts: Record<string, unknown> }>(join(assembly, 'manifest.json'));
  const added = { type: 'cdk:cloud-assembly', properties: { directoryName: SECOND_STAGE } };
  write(join(assembly, 'manifest.json'), { ...manifest, artifacts: { ...manifest.artifacts, [SECOND_STAGE]: added } });
}

/** The second template with what it shares taken from the first, and what the first must export for that. */
function sharedBy(second: Template): { template: Template; outputs: Record<string, unknown> } {
  const kept = new Set(Object.entries(second.Resources).flatMap(([id, { Type }]) => (KEPT_TYPES.includes(Type) ? [id] : [])));
  const outputs: Record<string, unknown> = {};
  const imported = (id: string, value: object) => {
    const name = `Shared${Object.keys(value)[0] === 'Ref' ? '' : String((value as { 'Fn::GetAtt': string[] })['Fn::GetAtt'][1])}${id}`;
    outputs[name] = { Value: value, Export: { Name: name } };
    return { 'Fn::ImportValue': name };
  };
  const own = Object.entries(second.Resources).filter(([id]) => !kept.has(id));
  const resources = own.map(([id, { DependsOn: _, ...resource }]) => [id, withBothMachines(taken(resource, kept, imported))]);
  return { template: { ...second, Resources: Object.fromEntries(resources), Outputs: ownOutputs(second, kept) }, outputs };
}

const ownOutputs = ({ Outputs = {} }: Template, kept: Set<string>) =>
  Object.fromEntries(Object.entries(Outputs).filter(([, output]) => ![...kept].some((id) => JSON.stringify(output).includes(id))));

/** Puts what the first deployment exports in place of every reference to what is kept. */
function taken(value: unknown, kept: Set<string>, imported: (id: string, value: object) => object): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => taken(each, kept, imported));
  const { Ref: ref, 'Fn::GetAtt': attribute } = value as { Ref?: string; 'Fn::GetAtt'?: string[] };
  const id = ref ?? attribute?.[0];
  if (id !== undefined && kept.has(id)) return imported(id, value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, taken(each, kept, imported)]));
}

const FIRST_MACHINE = `stateMachine:holdfast-${FIRST_STAGE}`;
const SECOND_MACHINE = `stateMachine:holdfast-${SECOND_STAGE}`;

/** In an account both versions are of one machine: who may use it may use it under both of its names here. */
function withBothMachines(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withBothMachines);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, name === 'Resource' ? both(each) : withBothMachines(each)]));
}

const both = (resource: unknown): unknown => [resource].flat().flatMap((each) => [each, ...firstNamed(each)]);

function firstNamed(resource: unknown): unknown[] {
  const text = JSON.stringify(resource);
  return text.includes(SECOND_MACHINE) ? [JSON.parse(text.replaceAll(SECOND_MACHINE, FIRST_MACHINE))] : [];
}

function templateIn(folder: string): string {
  const { artifacts } = read<{ artifacts: Record<string, { properties?: { templateFile?: string } }> }>(join(folder, 'manifest.json'));
  const [file] = Object.values(artifacts).flatMap(({ properties }) => properties?.templateFile ?? []);
  return join(folder, file as string);
}

const read = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;
const write = (file: string, value: unknown): void => writeFileSync(file, JSON.stringify(value));
