import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * Notifications about the entries of a folder. A watch stays with the inode it was made for, so `refresh` has to be called
 * from time to time: it moves the watch when the path leads to another folder now, and makes one where there was none.
 * Where no watch can be had (none left, a file system without them) there are no notifications, and no error.
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
