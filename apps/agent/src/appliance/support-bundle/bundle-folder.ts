import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, readFileIfThere, writeFileAtomically } from '@flotilla/kit';
import { SUPPORT_BUNDLE_ID, type SupportBundleState } from '@flotilla/proto/commands';

/** The record of a bundle. The file with it is replaced as a whole. Times are RFC 3339. */
export interface BundleRecord {
  readonly id: string;
  readonly state: SupportBundleState;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  /** When the file of a READY bundle is deleted. */
  readonly expiresAt: string | null;
  /** The size of the archive. */
  readonly bytes: number | null;
  /** The digest of the archive, in hexadecimal digits. */
  readonly sha256: string | null;
  /** Why it is FAILED or EXPIRED. */
  readonly reason: string | null;
  readonly progress: BundleProgress | null;
}

export interface BundleProgress {
  /** For people. */
  readonly step: string;
  readonly done: number;
  readonly total: number;
}

export function newRecord(id: string, now: Date): BundleRecord {
  return {
    id,
    state: 'RUNNING',
    createdAt: now.toISOString(),
    finishedAt: null,
    expiresAt: null,
    bytes: null,
    sha256: null,
    reason: null,
    progress: null,
  };
}

/** The folder of one bundle, below the data folder of the agent. Only the agent's user may open it. */
export class BundleFolder {
  readonly id: string;
  readonly path: string;

  constructor(root: string, id: string) {
    this.id = id;
    this.path = join(root, id);
  }

  /** Ids grow with time, so the oldest is first. */
  static async list(root: string): Promise<BundleFolder[]> {
    const names = await readdir(root).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [] as string[];
      throw error;
    });
    return names
      .filter((name) => SUPPORT_BUNDLE_ID.test(name))
      .toSorted()
      .map((id) => new BundleFolder(root, id));
  }

  get archive(): string {
    return join(this.path, 'support-bundle.tar.gz');
  }

  /** The archive while it is written. */
  get unfinished(): string {
    return `${this.archive}.part`;
  }

  /** Files that the agent has prepared, because only it can ask for their content. */
  get parts(): string {
    return join(this.path, 'parts');
  }

  get order(): string {
    return join(this.path, 'order.json');
  }

  /** Held by the process that creates the bundle. */
  get lock(): string {
    return join(this.path, 'bundle.lock');
  }

  async make(): Promise<void> {
    await makeFolder(this.parts, 0o700);
  }

  /** Undefined: nothing was recorded, or another program has changed the file. */
  async read(): Promise<BundleRecord | undefined> {
    const bytes = await readFileIfThere(this.#record);
    if (!bytes) return undefined;
    try {
      return JSON.parse(bytes.toString()) as BundleRecord;
    } catch {
      return undefined;
    }
  }

  async write(record: BundleRecord): Promise<void> {
    await writeFileAtomically(this.#record, JSON.stringify(record), { mode: 0o600 });
  }

  /** Deletes everything but the record. */
  async dropContent(): Promise<void> {
    await this.dropWork();
    await rm(this.archive, { force: true });
  }

  /** Deletes what was needed to create the archive. */
  async dropWork(): Promise<void> {
    await rm(this.unfinished, { force: true });
    await rm(this.order, { force: true });
    await rm(this.parts, { recursive: true, force: true });
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  get #record(): string {
    return join(this.path, 'bundle.json');
  }
}
