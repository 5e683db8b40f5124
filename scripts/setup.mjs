// Plain JavaScript that runs on Node 20: everything else runs on the Node that npm brings.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NODE_MAJOR = 24;

// Not `npm ci`: it refuses when the registry lacks an optional package of a foreign platform. The lock file's versions and
// digests hold all the same, and it is not written.
const INSTALL = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** Installs the locked dependencies when they are missing or older than the lock file. */
export function ensureInstalled() {
  if (installLocked(ROOT, 'dependencies (first run, about half a minute)')) return;
  console.error('npm could not install the dependencies; see its message above.');
  process.exit(1);
}

/** Installs what the lock file of a folder names, when that is missing or older. Returns whether it is there now. */
export function installLocked(folder, what) {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const stamp = join(folder, 'node_modules', '.flotilla-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return true;
  console.error(`Installing ${what} ...`);
  const { status } = spawnSync('npm', INSTALL, {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) return false;
  writeFileSync(stamp, lock);
  return true;
}

/** The Node to run our programs with: the one npm brought, else this one when it is new enough. */
export function findNode() {
  const brought = join(ROOT, 'node_modules', '.bin', 'node');
  if (existsSync(brought)) return brought;
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return process.execPath;
  console.error(
    `No Node ${NODE_MAJOR} for ${process.platform}-${process.arch} comes with npm: install Node ${NODE_MAJOR} and try again.`,
  );
  process.exit(1);
}

/** Runs a program of node_modules/.bin; its output is ours. Returns its exit status. */
export function runTool(name, args, env = {}) {
  const bin = join(ROOT, 'node_modules', '.bin');
  const { status } = spawnSync(join(bin, name), args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, ...env },
  });
  return status ?? 1;
}
