import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, writeFileAtomically } from '@flotilla/kit';
import { listNames } from './netplan-files.ts';
import type { Scope } from './plan-links.ts';
import type { KernelState, NetworkSettings, Problem } from './types.ts';

/**
 * The phases of a change. Each is the name of one file, which is renamed: this is atomic and needs no space on the disk.
 *
 * prepared   Everything is on disk, nothing has happened. The guard applies the change now.
 * applied    The guard has applied it and waits for the agent, until the time limit.
 * confirmed  The agent has reached the controller over the changed network. The files are being put into place.
 * committed  Final: as requested.
 * reverting  The time limit has passed, or something failed. The kernel is being restored.
 * reverted   Final: as before.
 */
export const PHASES = ['prepared', 'applied', 'confirmed', 'committed', 'reverting', 'reverted'] as const;
export type Phase = (typeof PHASES)[number];

export interface FileChange {
  readonly path: string;
  /** Null: the file is deleted. */
  readonly content: string | null;
  readonly mode: number;
}

/** Everything that another process needs to finish or to undo a change. */
export interface ChangeRecord {
  readonly id: string;
  readonly settings: NetworkSettings;
  readonly timeoutMs: number;
  /** Run as one batch of `ip`. */
  readonly lines: readonly string[];
  /** Run after `lines`; a failing one is skipped. */
  readonly routeLines: readonly string[];
  /** The netplan file of the interfaces, if netplan has to apply it. */
  readonly shadow: FileChange | null;
  readonly files: readonly FileChange[];
  readonly before: KernelState;
  readonly scope: Scope;
  /** New addresses, which no other host may have. */
  readonly newAddresses: ReadonlyArray<{ readonly address: string; readonly dev: string }>;
  /** Is kept with the change, for the result of the command. */
  readonly summary: Readonly<Record<string, unknown>>;
}

const PHASE_PREFIX = 'phase.';
const KEPT = 20;

/** The folder of one change, named after its command. */
export class ChangeFolder {
  readonly path: string;
  readonly id: string;

  constructor(dataDir: string, id: string) {
    this.id = id;
    this.path = join(dataDir, 'changes', id);
  }

  static async list(dataDir: string): Promise<ChangeFolder[]> {
    return (await listNames(join(dataDir, 'changes'))).map((id) => new ChangeFolder(dataDir, id));
  }

  /** Writes everything that the change needs. If it rejects, nothing has happened, and nothing is left. */
  async prepare(record: ChangeRecord): Promise<void> {
    await makeFolder(join(this.path, '..'), 0o700);
    await mkdir(this.path, { mode: 0o700 });
    try {
      await writeFileAtomically(this.#record, JSON.stringify(record));
      for (const file of record.files) await this.#stage(file);
      await (await open(join(this.path, `${PHASE_PREFIX}prepared`), 'wx', 0o600)).close();
      await syncFolder(this.path);
    } catch (error) {
      await this.remove();
      throw error;
    }
  }

  /** Undefined if the change was never prepared completely. */
  async phase(): Promise<Phase | undefined> {
    const names = await listNames(this.path);
    return PHASES.find((phase) => names.includes(`${PHASE_PREFIX}${phase}`));
  }

  /** Returns false if the change is in another phase: somebody else was first. */
  async advance(from: Phase, to: Phase): Promise<boolean> {
    try {
      await rename(join(this.path, `${PHASE_PREFIX}${from}`), join(this.path, `${PHASE_PREFIX}${to}`));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
    await syncFolder(this.path);
    return true;
  }

  async read(): Promise<ChangeRecord> {
    return JSON.parse(await readFile(this.#record, 'utf8')) as ChangeRecord;
  }

  /** Why the change was taken back. A full disk may prevent it from being stored. */
  async noteProblem(problem: Problem): Promise<void> {
    await writeFile(this.#problem, JSON.stringify(problem), { mode: 0o600, flag: 'wx' }).catch(() => undefined);
  }

  async problem(): Promise<Problem | undefined> {
    try {
      return JSON.parse(await readFile(this.#problem, 'utf8')) as Problem;
    } catch {
      return undefined;
    }
  }

  /** Puts the files into place. May be repeated. */
  async commitFiles(): Promise<void> {
    for (const { path, content } of (await this.read()).files) {
      if (content === null) await rm(path, { force: true });
      else
        await rename(this.#staged(path), path).catch((error: NodeJS.ErrnoException) => {
          // An earlier attempt has renamed it.
          if (error.code !== 'ENOENT') throw error;
        });
      await syncFolder(dirname(path));
    }
  }

  async dropFiles(): Promise<void> {
    for (const { path } of (await this.read()).files) await rm(this.#staged(path), { force: true });
  }

  /** Also for a change that was never prepared completely. */
  async remove(): Promise<void> {
    await this.dropFiles().catch(() => undefined);
    await rm(this.path, { recursive: true, force: true });
  }

  /** Netplan reads only names that end in .yaml. */
  #staged(path: string): string {
    return `${path}.${this.id}.new`;
  }

  async #stage({ path, content, mode }: FileChange): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    if (content === null) return;
    await rm(this.#staged(path), { force: true });
    const file = await open(this.#staged(path), 'wx', mode);
    try {
      await file.writeFile(content);
      await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  get #record(): string {
    return join(this.path, 'record.json');
  }

  get #problem(): string {
    return join(this.path, 'problem.json');
  }
}

/** Removes the oldest final changes. */
export async function pruneChanges(dataDir: string): Promise<void> {
  const folders = await ChangeFolder.list(dataDir);
  // Ids of commands grow with time.
  for (const folder of folders.slice(0, Math.max(0, folders.length - KEPT))) {
    const phase = await folder.phase();
    if (phase === 'committed' || phase === 'reverted') await folder.remove();
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
