import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { FUNCTIONS, type FunctionName } from '../../shared/functions.ts';

/** Where the simulator is, and what it is to run. */
export interface SimulatorOptions {
  /** The folder of its program `aws-sim`. */
  readonly folder: string;
  /** The output folder of the synthesis. */
  readonly assembly: string;
  /** Variables for every function, beside those of the stack. */
  readonly environment: Readonly<Record<string, string>>;
}

/** An AWS on this machine with the stack deployed on it. Every call that a role does not allow is refused. */
export interface Simulator {
  /** The HTTP API. */
  readonly apiUrl: string;
  /** The HTTP API of one stage of several. */
  readonly apiUrlOf: (stage: string) => string;
  /** Of all services. */
  readonly endpoint: string;
  readonly machineArn: string;
  /** Which of our functions one of its functions is. */
  readonly nameOf: (physical: string) => FunctionName | undefined;
  /** The id of the only resource of a type. */
  readonly idOf: (type: string) => string;
  /** Reads from its control endpoint. */
  get<T>(path: string): Promise<T>;
  /** Tells its control endpoint. */
  tell<T>(method: 'POST' | 'DELETE', path: string, body?: object): Promise<T>;
  stop(): Promise<void>;
}

/** The part of its state file that is read. */
interface State {
  readonly endpoint: string;
  readonly control: string;
  readonly region: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly stacks: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly state_machines: Readonly<Record<string, string>>;
  readonly resources: Readonly<
    Record<string, { readonly type: string; readonly path: string; readonly name: string; readonly id: string }>
  >;
}

/** It must be ready within this time, ms. */
const PATIENCE_MS = 120_000;

/** Starts a simulator and deploys the stack. Throws with its last words when that fails. It ends with this process. */
export async function startSimulator({ folder, assembly, environment }: SimulatorOptions): Promise<Simulator> {
  const own = mkdtempSync(join(tmpdir(), 'holdfast-simulator-'));
  const files = { state: join(own, 'state.json'), log: join(own, 'log') };
  const variables = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const flags = ['--assembly', assembly, '--port', '0', '--state-file', files.state, '--node', process.execPath, '--enforce-iam'];
  const log = openSync(files.log, 'a');
  const child = spawn(join(folder, 'aws-sim'), [...flags, ...variables], { stdio: ['ignore', log, log] });
  closeSync(log);
  const end = () => {
    child.kill();
    rmSync(own, { recursive: true, force: true });
  };
  process.once('exit', end);
  const stop = async () => {
    process.off('exit', end);
    await ended(child);
    end();
  };
  return client(await ready(child, files), stop);
}

async function ready(child: ChildProcess, files: { state: string; log: string }): Promise<State> {
  const giveUp = Date.now() + PATIENCE_MS;
  while (!existsSync(files.state)) {
    if (child.exitCode !== null || Date.now() > giveUp)
      throw new Error(`Cannot go on: the simulator did not start: ${readFileSync(files.log, 'utf8').trim().slice(-2000)}`);
    await setTimeout(100);
  }
  return JSON.parse(readFileSync(files.state, 'utf8')) as State;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

function client({ endpoint, control, outputs, stacks, state_machines, resources }: State, stop: () => Promise<void>): Simulator {
  const tell = async <T>(method: string, path: string, body?: object, tries = 3): Promise<T> => {
    const response = await fetch(`${control}/${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
    const said = await response.text();
    // It looks at its machine while that changes, and then fails; looking again changes nothing.
    if (response.status === 500 && method === 'GET' && tries > 1) return tell(method, path, body, tries - 1);
    if (!response.ok) throw new Error(`The simulator answered ${response.status} to ${method} ${path}: ${said}`);
    return JSON.parse(said) as T;
  };
  const names = new Map(functionsIn(resources));
  return {
    apiUrl: outputs.ApiUrl as string,
    apiUrlOf: (stage) => stacks[`Holdfast-${stage}`]?.ApiUrl as string,
    endpoint,
    machineArn: Object.values(state_machines)[0] as string,
    nameOf: (physical) => names.get(physical),
    idOf: (type) => Object.values(resources).find((resource) => resource.type === type)?.id as string,
    get: (path) => tell('GET', path),
    tell,
    stop,
  };
}

/** Pairs the name that a function has there with ours: the last part but one of its path in the stack. */
function functionsIn(resources: State['resources']): [string, FunctionName][] {
  const made = Object.values(resources).filter(({ type }) => type === 'AWS::Lambda::Function');
  return made.flatMap(({ name, path }) => {
    const ours = path.split('/').at(-2) ?? '';
    return ours in FUNCTIONS ? [[name, ours as FunctionName] as [string, FunctionName]] : [];
  });
}
