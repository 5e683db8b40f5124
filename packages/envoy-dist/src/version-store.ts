import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { makeFolder, removeStaged, writeFileAtomically } from '@flotilla/kit';
import { sha256OfFile } from './probe.ts';
import { compareVersions, parseVersionRequest } from './version.ts';

/** A file of a version, as `meta.json` describes it. */
interface Facts {
  readonly version: string;
  readonly sha256: string;
  readonly hotRestartVersion: string;
  readonly origin: string;
  /** Identifies the request that has installed it; empty if it had none. */
  readonly installedBy: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** The `meta.json` next to an installed file. While the file is replaced, it describes both. */
interface Meta extends Facts {
  readonly previous?: Facts;
}

/** An installed and complete version. */
export interface StoredVersion extends Omit<Facts, 'mtimeMs'> {
  readonly path: string;
  /** Unix milliseconds. */
  readonly installedAtMs: number;
}

export type NewFacts = Pick<Facts, 'version' | 'sha256' | 'hotRestartVersion' | 'origin'> &
  Partial<Pick<Facts, 'installedBy'>>;

/** Called before each change on disk; a process that dies there leaves the previous version or the new one. */
export type OnPlacing = (step: 'place' | 'describe' | 'switch' | 'settle') => void;

const META = 'meta.json';
const STAGE_PREFIX = '.stage-';
/** Names of the stages of this process, in all folders. */
const activeStages = new Set<string>();

/**
 * Installed versions, one folder each: `<dir>/<version>/{<file>,meta.json}`.
 *
 * A folder with a version's name is always complete: an install works in its own stage folder, whose name contains its
 * host and process id, and renames it at the end. If two processes install the same version, one rename wins and the
 * other process uses the result. A replacement first describes both files in `meta.json`, then renames the new file over the
 * old one, so that each moment has either. The next install deletes stages whose process is gone.
 */
export class VersionStore {
  readonly #dir: string;
  readonly #file: string;

  constructor({ dir, file }: { readonly dir: string; readonly file: string }) {
    this.#dir = dir;
    this.#file = file;
  }

  get dir(): string {
    return this.#dir;
  }

  async read(version: string): Promise<StoredVersion | undefined> {
    // A replacement between the reads of its two files makes the first look fail.
    return (await this.#look(version)) ?? this.#look(version);
  }

  async #look(version: string): Promise<StoredVersion | undefined> {
    const folder = join(this.#dir, version);
    const path = join(folder, this.#file);
    try {
      const meta = parseMeta(await readFile(join(folder, META), 'utf8'));
      const facts = await stat(path);
      const described = meta?.previous ? [meta, meta.previous] : meta ? [meta] : [];
      const likely = described.filter((one) => one.version === version && one.size === facts.size);
      // Size and time are enough to detect accidents; a copied or touched file is hashed again
      const found =
        likely.find((one) => one.mtimeMs === facts.mtimeMs) ??
        (likely.length > 0 ? await findByDigest(path, likely) : undefined);
      if (!found) return undefined;
      const { sha256, hotRestartVersion, origin, installedBy, size } = found;
      return { version, path, sha256, hotRestartVersion, origin, installedBy, size, installedAtMs: facts.ctimeMs };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Every usable version, newest first. */
  async list(): Promise<StoredVersion[]> {
    const found: StoredVersion[] = [];
    for (const name of await this.#listFolder()) {
      const request = parseVersionRequest(name);
      if (request?.kind !== 'exact' || request.version !== name) continue;
      const stored = await this.read(name);
      if (stored) found.push(stored);
    }
    return found.sort((a, b) => compareVersions(b.version, a.version));
  }

  async #listFolder(): Promise<string[]> {
    try {
      return await readdir(this.#dir);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  /** Runs `work` with a fresh stage folder that is always deleted afterwards. */
  async withStage<T>(work: (stage: string) => Promise<T>): Promise<T> {
    await makeFolder(this.#dir);
    await this.sweep();
    const stage = join(this.#dir, `${STAGE_PREFIX}${hostname()}-${process.pid}-${randomBytes(6).toString('hex')}`);
    activeStages.add(basename(stage));
    try {
      await mkdir(stage);
      return await work(stage);
    } finally {
      activeStages.delete(basename(stage));
      await rm(stage, { recursive: true, force: true });
    }
  }

  /** Installs the verified file at `staged` as `version`. A usable one that is there already is kept. */
  async place(stage: string, staged: string, facts: NewFacts, onPlacing: OnPlacing = () => undefined) {
    const { folder } = await this.#prepare(stage, staged, facts);
    const target = join(this.#dir, facts.version);
    onPlacing('place');
    for (let attempt = 0; attempt < 5; attempt += 1) {
      try {
        await rename(folder, target);
        await syncFolder(this.#dir);
      } catch (error) {
        if (!isOccupied(error)) throw error;
      }
      const placed = await this.read(facts.version);
      if (placed) {
        onPlacing('settle');
        return placed;
      }
      // The existing folder is damaged; a rename removes it atomically
      await rename(target, join(stage, `damaged-${attempt}`)).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    }
    throw new Error(`cannot place ${facts.version} in ${this.#dir}: another process keeps replacing it`);
  }

  /** Like `place`, but a version that is there is replaced. Programs that run it keep the old file until they end. */
  async replace(
    stage: string,
    staged: string,
    { facts, onPlacing }: { readonly facts: NewFacts; readonly onPlacing: OnPlacing },
  ): Promise<StoredVersion> {
    const old = await this.read(facts.version);
    if (!old) return this.place(stage, staged, facts, onPlacing);
    const { path, meta } = await this.#prepare(stage, staged, facts);
    const target = join(this.#dir, facts.version);
    await removeStaged(target);
    const { mtimeMs } = await stat(old.path);
    const { path: _, installedAtMs: __, ...previous } = old;
    onPlacing('describe');
    await writeFileAtomically(join(target, META), toText({ ...meta, previous: { ...previous, mtimeMs } }), META_MODE);
    onPlacing('switch');
    await rename(path, join(target, this.#file));
    await syncFolder(target);
    onPlacing('settle');
    await writeFileAtomically(join(target, META), toText(meta), META_MODE);
    const placed = await this.read(facts.version);
    if (!placed) throw new Error(`${target} was changed while it was replaced`);
    return placed;
  }

  /** Removes a version at once. Returns false if it is not there. */
  async remove(version: string): Promise<boolean> {
    if (!(await this.read(version))) return false;
    await this.withStage(async (stage) => {
      await rename(join(this.#dir, version), join(stage, 'removed'));
      await syncFolder(this.#dir);
    });
    return true;
  }

  /** Makes a complete folder of the version in the stage. */
  async #prepare(stage: string, staged: string, { installedBy = '', ...facts }: NewFacts) {
    const folder = join(stage, 'ready');
    await mkdir(folder);
    const path = join(folder, this.#file);
    await rename(staged, path);
    await chmod(path, 0o755);
    await syncFile(path);
    const { size, mtimeMs } = await stat(path);
    const meta: Meta = { ...facts, installedBy, size, mtimeMs };
    await writeFile(join(folder, META), toText(meta), { flush: true });
    await syncFolder(folder);
    return { folder, path, meta };
  }

  /** Deletes what killed processes have left. */
  async sweep(): Promise<void> {
    const own = `${STAGE_PREFIX}${hostname()}-`;
    for (const name of await this.#listFolder()) {
      if (!name.startsWith(own)) continue;
      const pid = Number(name.slice(own.length).split('-')[0]);
      // In a container, a killed process and its successor often have the same id.
      const isDead = pid === process.pid ? !activeStages.has(name) : !isAlive(pid);
      if (isDead) await rm(join(this.#dir, name), { recursive: true, force: true });
    }
  }
}

const META_MODE = { mode: 0o644 };

function toText(meta: Meta): string {
  return `${JSON.stringify(meta, null, 2)}\n`;
}

async function findByDigest(path: string, described: readonly Facts[]): Promise<Facts | undefined> {
  const digest = await sha256OfFile(path);
  return described.find((one) => one.sha256 === digest);
}

function parseMeta(text: string): Meta | undefined {
  try {
    const value = JSON.parse(text) as { readonly previous?: unknown } | null;
    const facts = toFacts(value);
    const previous = toFacts(value?.previous);
    return facts && { ...facts, ...(previous && { previous }) };
  } catch {
    return undefined;
  }
}

function toFacts(value: unknown): Facts | undefined {
  const facts = value as Partial<Record<keyof Facts, unknown>> | null | undefined;
  if (typeof facts?.version !== 'string' || typeof facts.sha256 !== 'string') return undefined;
  if (typeof facts.hotRestartVersion !== 'string' || typeof facts.origin !== 'string') return undefined;
  if (typeof facts.size !== 'number' || typeof facts.mtimeMs !== 'number') return undefined;
  return { ...(facts as Facts), installedBy: typeof facts.installedBy === 'string' ? facts.installedBy : '' };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
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
