// Installs what package-lock.json names, unless it is there already. Plain JavaScript without dependencies: it runs before
// there are any, on whatever Node the user has.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MINIMUM = 20;

if (Number.parseInt(process.versions.node, 10) < MINIMUM)
  fail(`Cannot run on Node ${process.versions.node}: Holdfast needs ${MINIMUM} or later`);
const missing = missingPackages();
if (missing.length > 0) install(missing);

/** Packages of the lock file that are not installed in the version it names. npm writes the second file when it installs. */
function missingPackages() {
  const wanted = packagesIn('package-lock.json');
  const found = existsSync(`${ROOT}node_modules/.package-lock.json`) ? packagesIn('node_modules/.package-lock.json') : {};
  return Object.keys(wanted).filter((path) => path && !wanted[path].optional && found[path]?.integrity !== wanted[path].integrity);
}

function packagesIn(file) {
  return JSON.parse(readFileSync(`${ROOT}${file}`, 'utf8')).packages;
}

function install({ length }) {
  console.log(`Installing ${length} packages (npm ci), once...`);
  const { status, stdout, stderr } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: ROOT,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) fail(`Cannot install the packages: npm ci failed\n${firstLines(`${stderr ?? ''}${stdout ?? ''}`)}`);
}

/** What npm prints after that is its manual. */
function firstLines(text) {
  return text.split('\n').slice(0, 8).join('\n');
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
