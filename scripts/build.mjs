import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, findNode, ROOT } from './setup.mjs';

const STAMP = join(ROOT, 'dist', '.stamp');

/** Bundles the programs when a source is newer than the bundle. Returns the path of the bundle. */
export function ensureBuilt() {
  const bundle = join(ROOT, 'dist', 'flotilla.mjs');
  const fingerprint = fingerprintSources();
  if (existsSync(bundle) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === fingerprint) return bundle;
  console.error('Building ...');
  const built = spawnSync(findNode(), [join(ROOT, 'scripts', 'bundle.mjs')], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (built.status !== 0) process.exit(1);
  writeFileSync(STAMP, fingerprint);
  return bundle;
}

/** Names, sizes and times of all that goes into the bundle. */
function fingerprintSources() {
  const hash = createHash('sha256');
  const visit = (dir) => {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules') visit(path);
      } else if (!entry.name.includes('.test.')) {
        const { size, mtimeMs } = statSync(path);
        hash.update(`${path}\0${size}\0${mtimeMs}\n`);
      }
    }
  };
  for (const dir of ['packages', 'apps', 'scripts']) visit(join(ROOT, dir));
  const { size, mtimeMs } = statSync(join(ROOT, 'package-lock.json'));
  return hash.update(`${size} ${mtimeMs}`).digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled();
  console.log(ensureBuilt());
}
