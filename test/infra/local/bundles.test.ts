import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundle, bundleFile } from '../../../infra/local/bundles.ts';
import { FUNCTIONS, type FunctionName } from '../../../shared/functions.ts';
import { temporaryFolder } from './scripted-host.ts';

/** A folder with a handler for each function, which returns what the registry of agents exports. */
function handlersFolder(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'agents.ts'), 'export const agents: string[] = ["own"];');
  const handler = 'import { agents } from "#agents";\nexport const handler = async () => agents;';
  for (const name of Object.keys(FUNCTIONS)) writeFileSync(join(folder, `${name}.ts`), handler);
  return folder;
}

async function bundled(folder: string): Promise<string> {
  const made = await bundle({ handlers: folder, agents: join(folder, 'agents.ts') });
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const result = async (folder: string, name: FunctionName = 'ask') => (await import(bundleFile(folder, name))).handler();

describe('bundle()', () => {
  it('makes a module of each handler, with the registry it is told', async () => {
    const folder = await bundled(handlersFolder());
    for (const name of Object.keys(FUNCTIONS) as FunctionName[]) expect(await result(folder, name)).toEqual(['own']);
  });

  it('makes nothing when no source has changed', async () => {
    const handlers = handlersFolder();
    const first = await bundled(handlers);
    const { ctimeMs } = statSync(bundleFile(first, 'ask'));
    expect(await bundled(handlers)).toBe(first);
    expect(statSync(bundleFile(first, 'ask')).ctimeMs).toBe(ctimeMs);
  });

  it('makes other bundles, elsewhere, when a source has changed', async () => {
    const handlers = handlersFolder();
    const first = await bundled(handlers);
    const before = readFileSync(bundleFile(first, 'ask'), 'utf8');
    writeFileSync(join(handlers, 'agents.ts'), 'export const agents: string[] = ["other"];');
    const second = await bundled(handlers);
    expect(second).not.toBe(first);
    expect(await result(second)).toEqual(['other']);
    expect(readFileSync(bundleFile(first, 'ask'), 'utf8')).toBe(before);
  });

  it('keeps the names of classes, and lets errors tell the names and lines of the sources', async () => {
    const handlers = handlersFolder();
    const lines = ['class OutOfPaper extends Error {}', 'const print = () => {', '  throw new OutOfPaper("page 2");', '};'];
    writeFileSync(join(handlers, 'ask.ts'), [...lines, 'export const handler = async () => print();'].join('\n'));
    const file = bundleFile(await bundled(handlers), 'ask');
    const program = `(await import(${JSON.stringify(file)})).handler().catch((error) => console.log(error.constructor.name, error.stack))`;
    const told = execFileSync(process.execPath, ['--enable-source-maps', '--input-type=module', '--eval', program], { encoding: 'utf8' });
    expect(told).toMatch(/^OutOfPaper /);
    expect(told).toMatch(/at print \(.*ask\.ts:3:9\)/);
  });

  it('may be called by several hosts at once', async () => {
    const handlers = handlersFolder();
    const folders = await Promise.all([1, 2, 3].map(() => bundled(handlers)));
    expect(new Set(folders).size).toBe(1);
  });

  it('names the source that cannot be bundled', async () => {
    const handlers = handlersFolder();
    writeFileSync(join(handlers, 'ask.ts'), 'export const handler = ;');
    await expect(bundled(handlers)).rejects.toThrow('ask.ts');
    copyFileSync(join(handlers, 'answer.ts'), join(handlers, 'ask.ts'));
    expect(await result(await bundled(handlers))).toEqual(['own']);
  });
});
