import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FUNCTIONS, ROUTES } from '../shared/functions.ts';
import { codeOf, cycleIn, files, type Import, importsOf, ROOT, read, sources } from './support/source-tree.ts';

/** Whether an import may stand where it stands. */
type Rule = (imported: Import) => boolean;

const within =
  (...folders: string[]): Rule =>
  ({ target }) =>
    folders.some((folder) => target.startsWith(folder));
const packages =
  (...names: string[]): Rule =>
  ({ target }) =>
    names.some((name) => (name.endsWith('/') ? target.startsWith(name) : target === name || target.startsWith(`${name}/`)));
const either =
  (...rules: Rule[]): Rule =>
  (imported) =>
    rules.some((rule) => rule(imported));

const node: Rule = ({ target }) => target.startsWith('node:');
const anyPackage: Rule = ({ target }) => !/^(agents|bench|bin|cli|console|demo|docs|infra|lambdas|shared|test)\//.test(target);
/** The modules whose words the HTTP API speaks. */
const apiWords: Rule = ({ target, typeOnly }) =>
  /^shared\/(api|exact-json|export|file|json|meta|picture|plan|raise|recipient|record|record-files|tables)\.ts$/.test(target) ||
  (typeOnly && target.startsWith('shared/'));

const ofShared = either(packages('zod'), within('shared/'));
const ofLambdas = either(ofShared, within('lambdas/lib/', 'agents/', 'console/'));
const ofInfra = either(packages('aws-cdk-lib', 'constructs', 'zod'), node, within('shared/'));

/** Who may import whom; the first line that fits a file rules it. */
const TABLE: readonly [files: RegExp, rule: Rule | 'free'][] = [
  [/^shared\//, ofShared],
  [/^agents\//, either(anyPackage, within('shared/', 'agents/'))],
  [/^lambdas\/[^/]+$/, ofLambdas],
  [
    /^lambdas\/lib\//,
    either(
      ofLambdas,
      packages('@aws-sdk/', '@smithy/', '@aws-lambda-powertools/', 'aws-lambda', 'ai', '@ai-sdk/', 'ulid', 'nodemailer'),
      node,
    ),
  ],
  [/^infra\/[^/]+$/, either(ofInfra, ({ target }) => /^infra\/[^/]+$/.test(target))],
  [/^infra\/local\//, either(ofInfra, anyPackage, within('infra/', 'lambdas/', 'console/'))],
  [/^(cli|console)\//, either(anyPackage, apiWords, within('cli/', 'console/'))],
  [/^(test|bench|demo|docs|bin|scripts)\//, 'free'],
  [/^[^/]+$/, 'free'],
];

const ruleOf = (file: string) => TABLE.find(([pattern]) => pattern.test(file))?.[1];
const shown = (imports: readonly Import[]) => imports.map(({ from, target }) => `${from} imports ${target}`);
const imports = sources.flatMap(importsOf);

describe('imports', () => {
  test('every source file lies in a folder of the table', () => {
    expect(sources.filter((file) => !ruleOf(file))).toEqual([]);
  });

  test('every file imports only what its folder may', () => {
    const wrong = imports.filter((imported) => {
      const rule = ruleOf(imported.from);
      return typeof rule === 'function' && !rule(imported);
    });
    expect(shown(wrong)).toEqual([]);
  });

  test('every imported file exists, and is named with its ending', () => {
    // Tests write small programs too, as text.
    const ours = imports.filter((imported) => !imported.from.startsWith('test/') && !anyPackage(imported));
    expect(shown(ours.filter(({ target }) => !files.includes(target)))).toEqual([]);
    expect(ours.length).toBeGreaterThan(100);
  });

  test('shared/ has no import cycles', () => {
    expect(cycleIn(imports.filter(({ from }) => from.startsWith('shared/')))).toBeUndefined();
  });

  test('no folder has import cycles but those of types', () => {
    expect(cycleIn(imports.filter(({ typeOnly }) => !typeOnly))).toBeUndefined();
  });

  test('the reader of imports sees every kind of them', () => {
    const own = importsOf('test/architecture.test.ts').map(({ target }) => target);
    expect(own).toEqual(['node:path', 'vitest', 'shared/functions.ts', 'test/support/source-tree.ts']);
    expect(importsOf('lambdas/lib/agents.ts')).toContainEqual({
      from: 'lambdas/lib/agents.ts',
      target: 'agents/index.ts',
      typeOnly: false,
    });
    expect(importsOf('test/shared/properties.test.ts').map(({ target }) => target)).toContain('lambdas/lib/item.ts');
    expect(
      cycleIn([
        { from: 'a', target: 'b', typeOnly: true },
        { from: 'b', target: 'a', typeOnly: true },
      ]),
    ).toEqual(['a', 'b', 'a']);
  });
});

describe('purity', () => {
  const impure =
    /\b(Date\.now|new Date|Math\.random|process|performance|crypto|globalThis|console|fetch|require|setTimeout|setInterval|setImmediate|queueMicrotask|async|await)\b/;

  test.each(sources.filter((file) => file.startsWith('shared/')))('%s knows no clock, no chance, no environment and no waiting', (file) => {
    expect(impure.exec(codeOf(file))?.[0]).toBeUndefined();
  });
});

describe('functions and routes', () => {
  const handlers = files.filter((file) => /^lambdas\/[^/]+\.ts$/.test(file)).map((file) => basename(file, '.ts'));

  test('every function has its handler, and every handler its function', () => {
    expect(handlers.toSorted()).toEqual(Object.keys(FUNCTIONS).toSorted());
    for (const name of handlers) expect(read(`lambdas/${name}.ts`)).toMatch(/^export (const|async function) handler\b/m);
  });

  test('every route is handled by its function, and every function handles only its routes', () => {
    const handled = handlers.flatMap((name) =>
      [...read(`lambdas/${name}.ts`).matchAll(/'((?:GET|POST|PUT|PATCH|DELETE|HEAD) \/[^']*)':/g)].map(([, route]) => [route, name]),
    );
    // Handlers answer a HEAD like its GET.
    const [heads, others] = [true, false].map((isHead) => Object.entries(ROUTES).filter(([route]) => route.startsWith('HEAD ') === isHead));
    expect(handled.toSorted()).toEqual(others?.toSorted());
    expect(ROUTES).toMatchObject(Object.fromEntries((heads ?? []).map(([route, name]) => [route.replace('HEAD', 'GET'), name])));
  });
});

describe('names', () => {
  test('every source file and its folders are named in kebab-case', () => {
    const kebab = /^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.(test|config|d))?\.[a-z]+$/;
    expect(sources.filter((file) => !kebab.test(file))).toEqual([]);
  });

  test('no file bears a name that says nothing', () => {
    const empty = /^(.*-)?(utils?|helpers?|commons?|managers?)$|^services?$/;
    expect(sources.filter((file) => file.split('/').some((part) => empty.test(part.replace(/\..*$/, ''))))).toEqual([]);
  });

  test('every test of the core mirrors a file of it', () => {
    const mirrored = files.filter((file) => file.startsWith('test/shared/')).map((file) => file.replace(/^test\/(.*)\.test\.ts$/, '$1.ts'));
    expect(mirrored.filter((file) => file !== 'shared/properties.ts' && !files.includes(file))).toEqual([]);
    expect(files.filter((file) => file.startsWith('shared/') && !mirrored.includes(file))).toEqual([]);
  });
});

describe('what is left behind', () => {
  const texts = files.filter((file) => /\.(ts|tsx|js|mjs|json|md|html|css|ya?ml|sh)$/.test(file) && basename(file) !== 'package-lock.json');

  test('no test is left out or runs alone', () => {
    const set = /\b(test|it|describe|suite|bench)(\.\w+(\([^)]*\))?)*\.(only|skip|todo)\b/;
    expect(sources.filter((file) => file.startsWith('test/') && set.test(codeOf(file)))).toEqual([]);
  });

  test('no source says what is still to be done', () => {
    const marks = new RegExp(`\\b(${['TO', 'FIX', 'HA'].map((start, i) => start + ['DO', 'ME', 'CK'][i]).join('|')}|X{3})\\b`);
    expect(sources.filter((file) => marks.test(read(file)))).toEqual([]);
  });

  test('no file names a place on the machine where it was written', () => {
    const place = new RegExp(`${ROOT.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\b|/(home|Users)/\\w|[A-Z]:\\\\Users`);
    expect(texts.filter((file) => place.test(read(file)))).toEqual([]);
  });
});
