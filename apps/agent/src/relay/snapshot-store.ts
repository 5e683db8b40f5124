import { type Closable, type Logger, readFileIfThere, sleep, writeFileAtomically } from '@flotilla/kit';
import { decodeSnapshot, encodeSnapshot, type Snapshot } from '@flotilla/xds';

/** Changes within this time share one write. */
const DELAY_MS = 50;
const RETRY_MS = 2000;

/**
 * Stores the last good set of one service on disk. The file has mode 0600, because the set contains secrets, and is replaced
 * as a whole. A change is written after DELAY_MS, and a failed write is repeated until it succeeds.
 */
export class SnapshotStore implements Closable {
  readonly #path: string;
  readonly #logger: Logger;
  #derive: (() => Snapshot | undefined) | undefined;
  #writtenVersion: string | undefined;
  #writing: Promise<void> | undefined;
  readonly #closing = new AbortController();

  constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
  }

  /** Returns undefined if there is no snapshot or if it is damaged. Envoy then waits for the controller. */
  async read(): Promise<Snapshot | undefined> {
    const bytes = await readFileIfThere(this.#path);
    if (!bytes) return undefined;
    const decoded = decodeSnapshot(bytes);
    if (decoded.ok) return decoded.value;
    this.#logger.error({ path: this.#path, reason: decoded.error }, 'relay.last_good_unreadable');
    return undefined;
  }

  /** Records that the set has changed. `derive` returns the newest set at the time of the write. */
  note(derive: () => Snapshot | undefined): void {
    this.#derive = derive;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when the recorded changes are on disk or cannot be written. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
  }

  async #write(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#derive) {
      await sleep(DELAY_MS, signal);
      const derive = this.#derive;
      this.#derive = undefined;
      const snapshot = derive();
      if (!snapshot || snapshot.version === this.#writtenVersion) continue;
      try {
        await writeFileAtomically(this.#path, encodeSnapshot(snapshot), { mode: 0o600 });
        this.#writtenVersion = snapshot.version;
      } catch (error) {
        this.#logger.error({ err: error, path: this.#path }, 'relay.last_good_not_written');
        if (signal.aborted) return;
        this.#derive ??= derive;
        await sleep(RETRY_MS, signal);
      }
    }
  }
}
