import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { VARIABLES } from '../../shared/environment.ts';
import { HANDLERS } from '../bundling.ts';
import { awsJson } from './aws-json.ts';
import type { Operation } from './aws-service.ts';
import { blobApi } from './blob-api.ts';
import { openBlobFolder } from './blob-folder.ts';
import { bundle } from './bundles.ts';
import { writeWhole } from './cache.ts';
import { control } from './control.ts';
import { type HostFile, hostFileOf, takeDataDir } from './data-dir.ts';
import { readDefinition } from './definition.ts';
import { erasedOf } from './erased.ts';
import { createExecutions } from './executions.ts';
import { createFunctions } from './functions.ts';
import type { Host, HostInfo, HostOptions } from './host-options.ts';
import { httpApi } from './http-api.ts';
import { openJournal } from './journal.ts';
import { listen } from './loopback.ts';
import { mailApi } from './mail-api.ts';
import { openOutbox } from './outbox.ts';
import { outboxPages } from './outbox-pages.ts';
import { recoverAfter, recoverAll } from './recovery.ts';
import { keepLinkKeys, openLinkKey, secretsOf } from './secrets.ts';
import { stepFunctionsOf } from './step-functions.ts';
import { openStore } from './store.ts';
import { endSurvivors } from './survivors.ts';
import { startSweeper } from './sweeper.ts';
import { createTokens } from './tokens.ts';
import { findUnfinished, machinesInUse } from './unfinished.ts';
import { versionEnvironments } from './version-environments.ts';
import { openVersions, pruneVersions, type Version } from './versions.ts';
import type { Endpoints } from './worker-environment.ts';

export type { Host, HostInfo, HostOptions };

/** What waits for a sweep, waits this long at most, ms. */
const DEFAULT_SWEEP_MS = 5000;

/** Starts everything that Holdfast needs in an account on this machine. Throws when the data folder is in use. */
export async function startHost(options: HostOptions): Promise<Host> {
  const undo = new AsyncDisposableStack();
  try {
    return await start(options, undo);
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}

/** What is opened first is closed last: steps that may finish still need the tables. */
async function start(options: HostOptions, undo: AsyncDisposableStack): Promise<Host> {
  let grace = 0;
  const { path } = undo.adopt(await takeDataDir(options.dataDir), (dataDir) => dataDir.release());
  const { tables, bundles, versions } = await prepare(options, path);
  const store = undo.adopt(await openStore(join(path, 'tables'), tables), (opened) => opened.close());
  const outbox = openOutbox(join(path, 'outbox'));
  const erased = erasedOf(outbox);
  const operations: Record<string, Operation> = {};
  const linkKey = await openLinkKey(path);
  const json = awsJson({
    AWSStepFunctions: { version: '1.0', operations },
    secretsmanager: { version: '1.1', operations: secretsOf(linkKey, await keepLinkKeys(path, linkKey)) },
  });
  const mail = mailApi({ outbox, fails: options.mailFails ?? (() => false) }, json);
  const services = undo.adopt(await listen(control(() => host, mail)), (opened) => opened.close());
  const blobs = undo.adopt(await listen(blobApi(openBlobFolder(join(path, 'blobs')))), (opened) => opened.close());
  const { url: shared } = services;
  const endpoints: Endpoints = { store: store.url, stepFunctions: shared, secrets: shared, mail: shared, blobs: blobs.url, api: '' };
  const made = createFunctions(functionOptions(options, path, { bundles, endpoints, version: versions.today }));
  const functions = undo.adopt(made, ({ stop }) => stop(grace));

  const tokens = createTokens();
  const journal = openJournal(join(path, 'executions'));
  const onFailure = recoverAfter(functions);
  const executions = undo.adopt(createExecutions({ journal, onFailure }), (made) => made.abandon());
  Object.assign(operations, stepFunctionsOf(executions, tokens, versionEnvironments(versions, { functions, tokens, pace: options })));

  const unfinished = await findUnfinished(store.url, journal);
  await pruneVersions(path, versions, () => machinesInUse(store.url, unfinished));
  const api = undo.adopt(await listen(httpApi(functions, outboxPages(outbox), erased), options.port), (opened) => opened.close());
  const { url, port } = api;
  endpoints.api = url;
  const file: HostFile = { pid: process.pid, port, url, controlUrl: `${services.url}/_host`, startedAt: Date.now() };
  await writeWhole(hostFileOf(path), JSON.stringify(file));
  undo.defer(() => rmSync(hostFileOf(path), { force: true }));

  const info = (): HostInfo => ({
    pid: process.pid,
    executions: executions.all(),
    invocations: functions.invocations,
    workers: functions.pids(),
    storeOperations: store.operations,
    bytesWritten: store.bytesWritten,
  });
  const stop = (graceMs = 0) => {
    grace = graceMs;
    return undo.disposeAsync();
  };
  const recovered = recoverAll(functions, unfinished, journal);
  undo.adopt(startSweeper(functions, options.sweepMs ?? DEFAULT_SWEEP_MS, erased), (sweeper) => sweeper.stop());
  const host: Host = { url, controlUrl: file.controlUrl, endpoints, recovered, info, kill: functions.kill, stop };
  return host;
}

/** Ends what an earlier host left behind, and makes what is not there from earlier. */
async function prepare(options: HostOptions, dataDir: string) {
  const handlers = resolve(options.handlers ?? HANDLERS);
  const agents = options.agents ? { agents: resolve(options.agents) } : {};
  await endSurvivors(dataDir);
  const [{ machine, tables }, bundles] = await Promise.all([readDefinition(handlers), bundle({ handlers, ...agents })]);
  return { tables, bundles, versions: await openVersions(dataDir, machine, bundles) };
}

interface InService {
  bundles: string;
  endpoints: Endpoints;
  version: Version;
}

function functionOptions(options: HostOptions, dataDir: string, { bundles, endpoints, version }: InService) {
  const { environment = {}, eventLimit, workersPerFunction = 4, timeoutSeconds = {} } = options;
  const limit: Record<string, string> = eventLimit === undefined ? {} : { [VARIABLES.eventLimit]: String(eventLimit) };
  const own = { [VARIABLES.stateMachineArn]: version.arn, ...environment, ...limit };
  return { bundles, dataDir, endpoints, environment: own, workersPerFunction, timeoutSeconds };
}
