import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Closable } from '@flotilla/kit';

/** For file systems without events, and for folders that did not exist when the daemon started. */
const POLL_MS = 400;

/** Calls back when the file may have changed, appeared or gone. */
export class ConfigWatch implements Closable {
  readonly #file: string;
  readonly #onChange: () => void;
  readonly #timer: NodeJS.Timeout;
  #watcher: FSWatcher | undefined;
  #seen = '';

  constructor(file: string, onChange: () => void) {
    this.#file = file;
    this.#onChange = onChange;
    this.#timer = setInterval(() => void this.#poll(), POLL_MS);
    this.#watch();
  }

  #watch(): void {
    try {
      this.#watcher = watch(dirname(this.#file), (_, name) => {
        if (name === basename(this.#file)) this.#onChange();
      });
      this.#watcher.on('error', () => {
        this.#watcher?.close();
        this.#watcher = undefined;
      });
    } catch {
      // The poll goes on.
    }
  }

  async #poll(): Promise<void> {
    const now = await stat(this.#file).then(
      ({ ino, size, mtimeMs, ctimeMs }) => `${ino} ${size} ${mtimeMs} ${ctimeMs}`,
      (error: NodeJS.ErrnoException) => error.code ?? 'unreadable',
    );
    if (now === this.#seen) return;
    this.#seen = now;
    this.#onChange();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#watcher?.close();
  }
}
