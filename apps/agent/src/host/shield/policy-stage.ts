import { createHash } from 'node:crypto';
import { chown, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { err, ok, type Result } from '@flotilla/kit';
import type { fleet, ServiceLayout } from '@flotilla/proto';
import type { ServiceIdentity } from '../identity.ts';

const MAX_FILES = 10_000;
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Writes policy bundles for the filter. `policy` in the service's folder is a symbolic link to a sibling folder that is named
 * after the bundle's digest. Replacing the link activates a bundle atomically.
 */
export class PolicyStage {
  readonly #layout: ServiceLayout;
  readonly #identity: ServiceIdentity | undefined;

  constructor(layout: ServiceLayout, identity: ServiceIdentity | undefined) {
    this.#layout = layout;
    this.#identity = identity;
  }

  /** Returns the folder key of the active bundle, or undefined if there is none. */
  async current(): Promise<string | undefined> {
    const target = await readlink(this.#layout.policyDir).catch(() => undefined);
    return target === undefined ? undefined : basename(target).slice('policy-'.length);
  }

  /** Writes the bundle into a separate folder without activating it. Returns the folder, or an error that names the invalid file. */
  async stage(bundle: fleet.PolicyBundle): Promise<Result<string, string>> {
    const problem = checkPaths(bundle.files);
    if (problem !== undefined) return err(problem);
    const folder = this.#folderOf(bundle.digest);
    const staged = `${folder}.tmp`;
    await rm(staged, { recursive: true, force: true });
    await mkdir(staged, { recursive: true, mode: 0o750 });
    await this.#setOwner(staged);
    for (const file of bundle.files) {
      const path = join(staged, file.path);
      await this.#makeFolders(staged, dirname(path));
      await writeFile(path, file.content, { mode: 0o640, flag: 'wx' });
      await this.#setOwner(path);
    }
    if ((await this.current()) === folderKey(bundle.digest)) {
      await rm(staged, { recursive: true, force: true });
      return ok(folder);
    }
    await rm(folder, { recursive: true, force: true });
    await rename(staged, folder);
    return ok(folder);
  }

  async makeCurrent(digest: string): Promise<void> {
    const link = `${this.#layout.policyDir}.tmp`;
    await rm(link, { force: true });
    await symlink(basename(this.#folderOf(digest)), link);
    await rename(link, this.#layout.policyDir);
  }

  /** Deletes all staged folders except the active one. */
  async prune(): Promise<void> {
    const keep = `policy-${await this.current()}`;
    for (const name of await readdir(this.#layout.dataDir)) {
      if (name.startsWith('policy-') && name !== keep) {
        await rm(join(this.#layout.dataDir, name), { recursive: true, force: true });
      }
    }
  }

  async clear(): Promise<void> {
    await rm(this.#layout.policyDir, { force: true });
    await this.prune();
  }

  #folderOf(digest: string): string {
    return join(this.#layout.dataDir, `policy-${folderKey(digest)}`);
  }

  async #makeFolders(root: string, dir: string): Promise<void> {
    if (dir === root) return;
    await this.#makeFolders(root, dirname(dir));
    await mkdir(dir, { mode: 0o750 }).then(
      () => this.#setOwner(dir),
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      },
    );
  }

  async #setOwner(path: string): Promise<void> {
    if (this.#identity) await chown(path, 0, this.#identity.gid);
  }
}

/** Returns a safe folder name for a digest, because the digest is from the network. */
export function folderKey(digest: string): string {
  return /^[0-9a-f]{64}$/.test(digest) ? digest : createHash('sha256').update(digest).digest('hex');
}

/** Checks the paths, the number and the size of the files. Returns the error, if any. */
export function checkPaths(files: ReadonlyArray<{ path: string; content: Uint8Array }>): string | undefined {
  if (files.length > MAX_FILES) return `the bundle has ${files.length} files; the limit is ${MAX_FILES}`;
  let bytes = 0;
  const seen = new Set<string>();
  for (const { path, content } of files) {
    bytes += content.length;
    const shown = JSON.stringify(path.slice(0, 200));
    const parts = path.split('/');
    const isPlain =
      path.length <= 1_024 && parts.every((part) => part !== '' && part !== '.' && part !== '..' && part.length <= 255);
    if (!isPlain || posix.isAbsolute(path) || /[\0\\]/.test(path))
      return `file path ${shown} is not a relative path within the bundle`;
    if (parts.some((part) => part.startsWith('.') || part.endsWith('.tmp') || part.endsWith('~'))) {
      return `file path ${shown} has a name that the filter does not read`;
    }
    if (seen.has(path)) return `file path ${shown} occurs twice`;
    seen.add(path);
  }
  for (const path of seen) {
    const parts = path.split('/');
    for (let n = 1; n < parts.length; n += 1) {
      const folder = parts.slice(0, n).join('/');
      if (seen.has(folder)) return `${JSON.stringify(folder)} is both a file and a folder`;
    }
  }
  return bytes > MAX_BYTES ? `the bundle has ${bytes} bytes; the limit is ${MAX_BYTES}` : undefined;
}
