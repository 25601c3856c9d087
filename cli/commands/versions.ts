import { type Command, InvalidArgumentError } from 'commander';
import { MAX_PAGE, type RunSummary } from '../../shared/api.ts';
import { action, type Context } from '../action.ts';
import type { DeployedMachine } from '../deployment.ts';
import { AccessError } from '../gate.ts';
import { duration, EXIT, type Paint, printJson, printLines, tableLines, UsageError } from '../output.ts';
import { functionsToPrune, type MachineVersion, splitVersion, versionsToPrune } from '../prune.ts';
import type { Published } from '../published.ts';
import type { Session } from '../session.ts';

interface Options {
  readonly prune?: true;
  readonly keep?: number;
  readonly olderThan?: number;
  readonly yes?: true;
}

const DEFAULT_KEEP = 3;
const DEFAULT_DAYS = 30;

const HELP = `
Every deployment on AWS publishes a version; runs stay on the one with which they began. --prune deletes versions of the state
machine that no unfinished run is on, but never the one that new runs start on, and then the function versions that no version
left invokes. A message can go on with a completed run only while its version is there: afterwards the service answers 409
"Version gone". So --older-than also keeps every version that took new runs within so many days.`;

/** Adds `versions`: what deployments have published, and which of it may go. */
export function addVersions(program: Command, context: Context): void {
  program
    .command('versions')
    .description('list the versions that a stack on AWS has published, with the unfinished runs on each, or prune them')
    .option('--prune', 'say which versions no unfinished run needs; with --yes delete them')
    .option('--keep <n>', `with --prune: keep the newest n (default: ${DEFAULT_KEEP})`, wholeNumber(1))
    .option('--older-than <days>', `with --prune: keep what took new runs within so many days (default: ${DEFAULT_DAYS})`, wholeNumber(0))
    .option('--yes', 'with --prune: do it')
    .addHelpText('after', HELP)
    .action(action<[], Options>(context, perform));
}

const wholeNumber = (least: number) => (text: string) => {
  const number = Number(text);
  if (/^\d{1,6}$/.test(text) && number >= least) return number;
  throw new InvalidArgumentError(`It must be a whole number, at least ${least}.`);
};

async function perform(session: Session, options: Options): Promise<number> {
  const { prune, ...others } = options;
  if (!prune && Object.keys(others).length > 0) throw new UsageError('Cannot use --keep, --older-than or --yes without --prune');
  const deployed = await openDeployed(session);
  if (prune) await pruneVersions(session, deployed, options);
  else await listVersions(session, deployed);
  return EXIT.ok;
}

interface Deployed extends DeployedMachine {
  readonly published: Published;
  /** The state machine's own ARN, without a version. */
  readonly whole: string;
  /** The number of the version that new runs start on. */
  readonly version: number;
}

/** What talks to AWS is loaded here, and by no other command. */
async function openDeployed({ stack, region }: Session): Promise<Deployed> {
  const name = stack();
  const [{ openAws }, { machineOfStack }, { openPublished }] = await Promise.all([
    import('../aws.ts'),
    import('../deployment.ts'),
    import('../published.ts'),
  ]);
  const aws = openAws(region);
  const machine = await machineOfStack(aws, name);
  return { ...machine, ...splitVersion(machine.current), published: await openPublished(aws) };
}

/** How many unfinished runs stay on each version; undefined is the state machine without one. */
type RunsByVersion = ReadonlyMap<number | undefined, number>;

/** Both ways, so that a run which goes from one status to another meanwhile is seen. */
const UNFINISHED = ['running', 'waiting', 'interrupted', 'waiting', 'running'] as const satisfies RunSummary['status'][];

async function unfinishedRuns({ client }: Session): Promise<RunsByVersion> {
  const versions = new Map<string, number | undefined>();
  for (const status of UNFINISHED) {
    for (let before: string | undefined; ; ) {
      const page = await client().runs({ status, limit: MAX_PAGE, before });
      for (const run of page.runs) versions.set(run.runId, run.version);
      before = page.next;
      if (before === undefined) break;
    }
  }
  return new Map([...Map.groupBy(versions.values(), (version) => version)].map(([version, { length }]) => [version, length]));
}

async function listVersions(session: Session, { published, whole, version: current }: Deployed): Promise<void> {
  const versions = await published.versions(whole);
  const runs = await unfinishedRuns(session);
  const elsewhere = lostRuns(runs, versions);
  const shown = versions.map((one) => ({ ...one, current: one.version === current, unfinished: runs.get(one.version) ?? 0 }));
  if (session.json) {
    printJson(session.terminal, { versions: shown, elsewhere });
    return;
  }
  const rows = shown.map((one) => rowOf(one, Date.now()));
  const table = rows.length > 0 ? tableLines(['version', 'published', 'unfinished', 'functions'], rows, session.paint) : ['no versions'];
  printLines(session.terminal, [...table, ...lostLines(elsewhere, session.paint)]);
}

const rowOf = (one: MachineVersion & { current: boolean; unfinished: number }, now: number): string[] => [
  `${one.version}${one.current ? ' (new runs)' : ''}`,
  publishedText(one, now),
  String(one.unfinished),
  one.functions.map(shortName).join(' '),
];

const publishedText = ({ publishedAt }: MachineVersion, now: number) =>
  Number.isFinite(publishedAt) ? `${new Date(publishedAt).toISOString()} (${duration(now - publishedAt)} ago)` : 'at an unknown time';

/** `<function>:<version>` of the ARN of a function version. */
const shortName = (arn: string): string => arn.split(':').slice(-2).join(':');

interface Lost {
  readonly version: number | undefined;
  readonly unfinished: number;
}

/** Unfinished runs on a version that is not there: which functions they still use is not known. */
function lostRuns(runs: RunsByVersion, versions: readonly MachineVersion[]): Lost[] {
  const there = new Set<number | undefined>(versions.map(({ version }) => version));
  return [...runs].flatMap(([version, unfinished]) => (there.has(version) ? [] : [{ version, unfinished }]));
}

const lostLines = (lost: readonly Lost[], paint: Paint): string[] =>
  lost.map(({ version, unfinished }) => {
    const place = version === undefined ? 'on no version' : `on version ${version}, which is gone`;
    return paint('yellow', `${unfinished} unfinished ${unfinished === 1 ? 'run' : 'runs'} ${place}`);
  });

/**
 * Versions of the state machine go before the functions they invoke, so after a crash nothing that is left invokes what is gone;
 * what is to go is found anew from what is left.
 */
async function pruneVersions(session: Session, deployed: Deployed, { keep = DEFAULT_KEEP, olderThan = DEFAULT_DAYS, yes }: Options) {
  mustBeSettled(session.stack(), deployed);
  const { published, whole, version: current } = deployed;
  const versions = await published.versions(whole);
  const needed = new Set((await unfinishedRuns(session)).keys());
  const since = Date.now() - olderThan * 86_400_000;
  const going = versionsToPrune(versions, { current, needed, newest: keep, since });
  if (yes) for (const { arn } of going) await published.deleteVersion(arn);
  const left = versions.filter((one) => !going.includes(one));
  // A message may have reopened a run until its version was gone: it works on, with the functions that it has.
  const lost = lostRuns(await unfinishedRuns(session), left);
  const functions = lost.length > 0 ? [] : await unusedFunctions(deployed, versions, left);
  if (yes) for (const arn of functions) await published.deleteFunctionVersion(arn);
  const pruned = { deleted: yes ?? false, versions: going, functions, lost };
  if (session.json) printJson(session.terminal, prunedJson(pruned));
  else printLines(session.terminal, prunedLines(pruned, session.paint));
}

/** A deployment publishes functions before the version that invokes them; a broken one may yet go back. */
function mustBeSettled(name: string, { settled, status }: Deployed): void {
  if (settled) return;
  throw new AccessError(`Cannot prune the versions of stack "${name}": its status is ${status}; let it come to a COMPLETE one first`);
}

async function unusedFunctions({ published, whole }: Deployed, all: readonly MachineVersion[], left: readonly MachineVersion[]) {
  const own = await published.invokedBy(whole);
  const names = new Set([...own, ...all.flatMap(({ functions }) => functions)].map((arn) => splitVersion(arn).whole));
  const there: string[] = [];
  for (const name of names) there.push(...(await published.functionVersions(name)));
  return functionsToPrune(there, [...own, ...left.flatMap(({ functions }) => functions)]);
}

interface Pruned {
  readonly deleted: boolean;
  readonly versions: readonly MachineVersion[];
  readonly functions: readonly string[];
  readonly lost: readonly Lost[];
}

const prunedJson = ({ deleted, versions, functions, lost }: Pruned) => ({
  deleted,
  versions: versions.map(({ version }) => version),
  functions,
  elsewhere: lost,
});

function prunedLines({ deleted, versions, functions, lost }: Pruned, paint: Paint): string[] {
  const verb = deleted ? 'deleted' : 'would delete';
  const kept = lost.length > 0 ? ['all function versions are kept until these runs have ended'] : [];
  const nothing = versions.length + functions.length === 0;
  return [
    ...versions.map((one) => `${verb} version ${one.version} of the state machine, published ${publishedText(one, Date.now())}`),
    ...functions.map((arn) => `${verb} function version ${shortName(arn)}`),
    ...lostLines(lost, paint),
    ...kept,
    ...(nothing ? ['nothing to delete'] : []),
    ...(nothing || deleted ? [] : [paint('dim', 'to delete it, say --yes too')]),
  ];
}
