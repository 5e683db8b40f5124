import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * Watches the entries of a folder. A watch belongs to an inode, so call `refresh` from time to time: it moves the watch
 * if the path points to another folder now, and creates missing watches. If no watch is available (limit reached,
 * unsupported file system), there are no notifications and no error.
 */
export class FolderWatch {
  readonly #folder: string;
  readonly #onChange: (name: string | null) => void;
  #watcher: FSWatcher | undefined;
  #inode = '';
  #closed = false;

  constructor(folder: string, onChange: (name: string | null) => void) {
    this.#folder = folder;
    this.#onChange = onChange;
  }

  async refresh(): Promise<void> {
    const inode = await stat(this.#folder).then(
      (found) => (found.isDirectory() ? `${found.dev} ${found.ino}` : ''),
      () => '',
    );
    if (this.#closed || (inode === this.#inode && this.#watcher)) return;
    this.#stop();
    this.#inode = inode;
    if (inode === '') return;
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, (_, name) => this.#onChange(name));
      this.#watcher.on('error', () => this.#stop());
    } catch {
      this.#stop();
    }
  }

  close(): void {
    this.#closed = true;
    this.#stop();
  }

  #stop(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}
