import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings, SETTING_NAMES } from '../infra/settings.ts';
import { type Machine, startMachine } from './support/machine.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(`${ROOT}${file}`, 'utf8');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(`${ROOT}docs`).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];
const blocks = (page: string, language: string) =>
  [...read(page).matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map((match) => match[1] as string);
const COMMANDS = [...new Set(PAGES.flatMap((page) => blocks(page, 'sh')).flatMap((block) => block.trim().split('\n')))];
const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;

/** What runs each npm script that the pages show: a test beside this one, or a line of CI. */
const RUN_BY: Record<string, string> = {
  start: 'test/demo/start.test.ts',
  demo: 'test/demo/story.test.ts',
  test: '.ci/run',
  check: '.ci/run',
  crash: '.ci/run',
  chaos: '.ci/run',
  soak: '.ci/run',
  acceptance: '.ci/run',
  bench: '.ci/run',
  'test:browser': '.ci/run',
};

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('../agents/index.ts', import.meta.url));
});
afterAll(() => machine?.stop());

const run = (command: string, args: string[]) =>
  new Promise<{ code: number | null; output: string }>((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, HOLDFAST_URL: machine.host.url } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('exit', (code) => resolve({ code, output }));
  });

describe('commands of the pages', () => {
  it.each(COMMANDS.filter((command) => command.startsWith('npx ')))('%s', async (command) => {
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? (match[2] as string));
    const { code, output } = await run(words[0] as string, words.slice(1));
    expect([code, output]).toEqual([0, expect.not.stringContaining('Cannot')]);
  });

  it.each(COMMANDS.filter((command) => command.startsWith('npm ')))('%s is run elsewhere', (command) => {
    const name = /^npm (?:run )?(\S+)/.exec(command)?.[1] as string;
    expect(scripts).toHaveProperty(name);
    const proof = RUN_BY[name] as string;
    if (proof !== '.ci/run') expect(read(proof)).toMatch(/demo\/(start|story)\.ts/);
    else expect(read(proof)).toMatch(new RegExp(name === 'check' ? 'types-and-lint' : `npm (run (--silent )?)?${name}\\b`));
  });

  it('are all npm or npx', () => {
    expect(COMMANDS.length).toBeGreaterThan(8);
    expect(COMMANDS.filter((command) => !/^np[mx] /.test(command))).toEqual([]);
  });
});

describe('commands that need an account', () => {
  const shown = PAGES.flatMap((page) => blocks(page, 'console'));
  const commands = shown.flatMap((block) => block.trim().split('\n'));

  it('are programs that the pages ask for, and a shell can read them', () => {
    expect(commands.length).toBeGreaterThan(8);
    // Those of holdfast are run by test/cli/deployment.test.ts.
    for (const command of commands) expect(command).toMatch(/^(aws|npx cdk|npx holdfast|export AWS_REGION=) ?/);
    const { status, stderr } = spawnSync('bash', ['-n'], { input: shown.join('\n').replace(/<(ask|run)>/g, 'id'), encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it.each(commands.filter((command) => command.includes('holdfast:')))('%s gives settings that are taken', (command) => {
    const context = [...command.matchAll(/-c (holdfast:[^= ]+)=(\S+)/g)].map(([, name, value]) => [name, value]);
    expect(() => readSettings(new App({ context: Object.fromEntries(context) }))).not.toThrow();
  });
});

describe('the settings of the pages', () => {
  const page = read('docs/deploy.md');

  it('are all there are', () => {
    const table = [...page.matchAll(/^\| `([\w.]+)` +\|/gm)].map(([, name]) => name);
    expect(table.toSorted()).toEqual([...SETTING_NAMES].toSorted());
  });

  it('are taken as they stand in the example', () => {
    const [example = ''] = blocks('docs/deploy.md', 'json');
    expect(readSettings(new App({ context: JSON.parse(example) })).stage).toBe('prod');
  });
});

describe('pages', () => {
  it.each([
    ['README.md', 'bookkeeper.ts'],
    ['docs/deploy.md', 'shop-stack.ts'],
    ['docs/long-runs.md', 'archivist.ts'],
  ])('%s shows the example that is compiled', (page, example) => {
    expect(blocks(page, 'ts')).toEqual([read(`docs/examples/${example}`).replaceAll("'../../", "'../")]);
  });

  it.each(PAGES)('%s links only to pages that exist', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1] as string);
    for (const link of links) expect(() => readFileSync(new URL(link, `file://${ROOT}${page}`))).not.toThrow();
  });
});
