import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { configFileSchema, type HaConfig } from '@flotilla/ha';
import { type Logger, makeFolder, readFileIfThere, removeStaged, writeFileAtomically } from '@flotilla/kit';

/** How a new configuration is related to the one in the file. */
export type Comparison = 'same' | 'older' | 'newer';

/** The file that the daemon reads. It contains secrets, and only the agent writes it. */
export class PairFile {
  readonly path: string;
  readonly #logger: Logger;

  constructor(path: string, logger: Logger) {
    this.path = path;
    this.#logger = logger;
  }

  /** Undefined: this host is in no pair. `unreadable`: the file is there, and the next configuration replaces it. */
  async read(): Promise<HaConfig | 'unreadable' | undefined> {
    const bytes = await readFileIfThere(this.path);
    if (!bytes) return undefined;
    const parsed = configFileSchema.safeParse(parseJson(bytes));
    if (parsed.success) return parsed.data;
    // The file is written atomically, so another program or a newer agent has changed it.
    this.#logger.error({ event: 'ha.file_unreadable', path: this.path }, 'the configuration of the pair is unreadable');
    return 'unreadable';
  }

  /** Creates the folder, and removes what a killed writer may have left: it contains secrets. */
  async open(): Promise<void> {
    const dir = dirname(this.path);
    await makeFolder(dir, 0o700);
    await removeStaged(dir);
  }

  write(config: HaConfig): Promise<void> {
    return writeFileAtomically(this.path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

/** A configuration of another pair is newer. One with an older revision of the same pair has arrived late. */
export function compareConfigs(current: HaConfig | 'unreadable' | undefined, next: HaConfig): Comparison {
  if (current === undefined || current === 'unreadable' || current.pair_id !== next.pair_id) return 'newer';
  if (next.config_rev < current.config_rev) return 'older';
  return isDeepStrictEqual(current, next) ? 'same' : 'newer';
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
