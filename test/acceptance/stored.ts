import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { VARIABLES } from '../../shared/environment.ts';
import { apiClient } from '../support/api-client.ts';
import { type Check, ONCE, type Tried } from './check.ts';
import { begin, seen } from './hand.ts';
import type { Stage } from './stage.ts';

/** Generated values that are kept and read back. */
const VALUES = 1_000;

/** What is stored, and comes back the same: in a process of its own, whose settings are those of a function. */
export const STORED_CHECKS: readonly Check[] = [
  { section: 'stored bodies', name: 'the blob store is the same as on one machine', run: (stage) => inProcess(stage, 'contract') },
  { section: 'stored bodies', name: 'values come back as they were', run: (stage) => inProcess(stage, String(VALUES)) },
  { section: 'stored bodies', name: 'a run that is erased leaves no blob', run: erased },
];

async function erased(stage: Stage): Promise<Tried> {
  const runId = await begin(stage, 'story', { story: 'a result of many megabytes' });
  await seen(stage, runId, ({ status }) => status === 'completed');
  const blobs = async () => (await inProcess(stage, 'list', `runs/${runId}/`)).note;
  assert.notEqual(await blobs(), '0 tried');
  let status = 202;
  while (status === 202) ({ status } = await apiClient(stage.url).call('DELETE', `/runs/${runId}`, { by: 'Ada' }));
  assert.equal(status, 200);
  assert.equal(await blobs(), '0 tried');
  return ONCE;
}

async function inProcess({ simulator }: Stage, ...what: string[]): Promise<Tried> {
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
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...what], { env, maxBuffer: 64 * 1024 * 1024 });
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  return { tried: Number(/^(\d+) tried/.exec(last)?.[1] ?? 0), note: last };
}
