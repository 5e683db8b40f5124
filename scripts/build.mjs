import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, findNode, ROOT } from './setup.mjs';

const PROGRAMS = {
  name: 'the programs',
  result: join(ROOT, 'dist', 'flotilla.mjs'),
  stamp: join(ROOT, 'dist', '.stamp'),
  sources: ['packages', 'apps', 'scripts'],
  isLeftOut: (path) => path === join(ROOT, 'apps', 'web'),
  command: [join(ROOT, 'scripts', 'bundle.mjs')],
};

const SCREENS = {
  name: 'the screens',
  result: join(ROOT, 'dist', 'web', 'index.html'),
  stamp: join(ROOT, 'dist', 'web', '.stamp'),
  sources: ['packages/contract', 'packages/kit', 'apps/web'],
  isLeftOut: () => false,
  command: [
    join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js'),
    'build',
    join(ROOT, 'apps', 'web'),
    '--logLevel=warn',
  ],
};

/** Builds what is older than its sources: the programs and the screens. Returns the path of the programs' bundle. */
export function ensureBuilt() {
  ensurePart(PROGRAMS);
  ensureScreensBuilt();
  return PROGRAMS.result;
}

export function ensureScreensBuilt() {
  ensurePart(SCREENS);
}

function ensurePart({ name, result, stamp, sources, isLeftOut, command }) {
  const fingerprint = fingerprintSources(sources, isLeftOut);
  if (existsSync(result) && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) return;
  console.error(`Building ${name} ...`);
  // Also when tests ask for the build: any other mode builds larger and slower screens for developers.
  const env = { ...process.env, NODE_ENV: 'production' };
  const built = spawnSync(findNode(), command, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
  if (built.status !== 0) process.exit(1);
  writeFileSync(stamp, fingerprint);
}

/** Names, sizes and times of all that a part is built from. */
function fingerprintSources(dirs, isLeftOut) {
  const hash = createHash('sha256');
  const visit = (dir) => {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules' && !isLeftOut(path)) visit(path);
      } else if (!entry.name.includes('.test.')) {
        const { size, mtimeMs } = statSync(path);
        hash.update(`${path}\0${size}\0${mtimeMs}\n`);
      }
    }
  };
  for (const dir of dirs) visit(join(ROOT, dir));
  const { size, mtimeMs } = statSync(join(ROOT, 'package-lock.json'));
  return hash.update(`${size} ${mtimeMs}`).digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled();
  console.log(ensureBuilt());
}
