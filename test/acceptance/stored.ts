import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { VARIABLES } from '../../shared/environment.ts';
import type { Check, Tried } from './check.ts';
import type { Stage } from './stage.ts';

/** Generated values that are kept and read back. */
const VALUES = 1_000;

/** What is stored, and comes back the same: in a process of its own, whose settings are those of a function. */
export const STORED_CHECKS: readonly Check[] = [
  { section: 'stored bodies', name: 'the blob store is the same as on one machine', run: (stage) => inProcess(stage, 'contract') },
  { section: 'stored bodies', name: 'values come back as they were', run: (stage) => inProcess(stage, String(VALUES)) },
];

async function inProcess({ simulator }: Stage, what: string): Promise<Tried> {
  const program = fileURLToPath(new URL('./stored-program.ts', import.meta.url));
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: simulator.endpoint,
    AWS_REGION: process.env.AWS_REGION ?? 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    [VARIABLES.bucket]: simulator.idOf('AWS::S3::Bucket'),
    [VARIABLES.table]: 'stored-bodies',
    [VARIABLES.idempotencyTable]: 'none',
    [VARIABLES.stateMachineArn]: simulator.machineArn,
    [VARIABLES.publicUrl]: simulator.apiUrl,
    [VARIABLES.linkKey]: 'none',
  };
  const { stdout } = await promisify(execFile)(process.execPath, [program, what], { env, maxBuffer: 64 * 1024 * 1024 });
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  return { tried: Number(/^(\d+) tried/.exec(last)?.[1] ?? 0), note: last };
}
