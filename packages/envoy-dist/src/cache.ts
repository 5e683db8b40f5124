import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '@flotilla/kit';
import { sha256OfFile } from './probe.ts';
import type { EnvoyBinary } from './types.ts';
import { compareVersions, parseVersionRequest } from './version.ts';

/** The `meta.json` next to an installed binary. */
interface Meta {
  readonly version: string;
  readonly sha256: string;
  readonly hotRestartVersion: string;
  readonly origin: string;
  readonly size: number;
  readonly mtimeMs: number;
}

const META = 'meta.json';
const BINARY = 'envoy';
const STAGE_PREFIX = '.stage-';

/**
 * Installed binaries, one folder per version: `<cacheDir>/<version>/{envoy,meta.json}`.
 *
 * A folder with a version's name is always complete: an install works in its own stage folder, whose name contains its
 * host and process id, and renames it at the end. If two processes install the same version, one rename wins and the
 * other process uses the result. The next install deletes stages whose process is gone.
 */
export class EnvoyCache {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async read(version: string): Promise<EnvoyBinary | undefined> {
    const folder = join(this.#dir, version);
    const path = join(folder, BINARY);
    try {
      const meta = parseMeta(await readFile(join(folder, META), 'utf8'));
      const file = await stat(path);
      if (!meta || meta.version !== version || file.size !== meta.size) return undefined;
      // Size and time are enough to detect accidents; a copied or touched cache is hashed again
      if (file.mtimeMs !== meta.mtimeMs && (await sha256OfFile(path)) !== meta.sha256) return undefined;
      return { version, path, sha256: meta.sha256, source: 'cache', hotRestartVersion: meta.hotRestartVersion };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Every usable version, newest first. */
  async list(): Promise<EnvoyBinary[]> {
    const names = await readdir(this.#dir).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const found: EnvoyBinary[] = [];
    for (const name of names) {
      if (parseVersionRequest(name)?.kind !== 'exact') continue;
      const binary = await this.read(name);
      if (binary) found.push(binary);
    }
    return found.sort((a, b) => compareVersions(b.version, a.version));
  }

  /** Runs `work` with a fresh stage folder that is always deleted afterwards. */
  async withStage<T>(work: (stage: string) => Promise<T>): Promise<T> {
    await makeFolder(this.#dir);
    await this.#removeDeadStages();
    const stage = join(this.#dir, `${STAGE_PREFIX}${hostname()}-${process.pid}-${randomBytes(6).toString('hex')}`);
    await mkdir(stage);
    try {
      return await work(stage);
    } finally {
      await rm(stage, { recursive: true, force: true });
    }
  }

  /** Installs the verified binary at `staged` as `version`. */
  async place(
    stage: string,
    staged: string,
    facts: Pick<Meta, 'version' | 'sha256' | 'hotRestartVersion' | 'origin'>,
  ): Promise<EnvoyBinary> {
    const folder = join(stage, 'ready');
    await mkdir(folder);
    const path = join(folder, BINARY);
    await rename(staged, path);
    await chmod(path, 0o755);
    const { size, mtimeMs } = await stat(path);
    const meta: Meta = { ...facts, size, mtimeMs };
    await writeFile(join(folder, META), `${JSON.stringify(meta, null, 2)}\n`, { flush: true });
    await syncFolder(folder);
    const target = join(this.#dir, facts.version);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      try {
        await rename(folder, target);
        await syncFolder(this.#dir);
      } catch (error) {
        if (!isOccupied(error)) throw error;
      }
      const placed = await this.read(facts.version);
      if (placed) return placed;
      // The existing folder is damaged; a rename removes it atomically
      await rename(target, join(stage, `damaged-${attempt}`)).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    }
    throw new Error(`cannot place Envoy ${facts.version} in ${this.#dir}: another process keeps replacing it`);
  }

  async #removeDeadStages(): Promise<void> {
    const own = `${STAGE_PREFIX}${hostname()}-`;
    for (const name of await readdir(this.#dir)) {
      if (!name.startsWith(own)) continue;
      const pid = Number(name.slice(own.length).split('-')[0]);
      if (!isAlive(pid)) await rm(join(this.#dir, name), { recursive: true, force: true });
    }
  }
}

function parseMeta(text: string): Meta | undefined {
  try {
    const value = JSON.parse(text) as Partial<Record<keyof Meta, unknown>> | null;
    if (typeof value?.version !== 'string' || typeof value.sha256 !== 'string') return undefined;
    if (typeof value.hotRestartVersion !== 'string' || typeof value.origin !== 'string') return undefined;
    if (typeof value.size !== 'number' || typeof value.mtimeMs !== 'number') return undefined;
    return value as Meta;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function isOccupied(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOTEMPTY' || code === 'EEXIST';
}
