import { basename, dirname } from 'node:path';
import { listDataFolders } from './bundle-reader.ts';
import { FolderWatch } from './folder-watch.ts';

/** Further folders are only compared periodically, because watches are limited. */
const FOLDERS_MAX = 64;

/**
 * Watches a bundle: its path, the entries of its folder, and the folders of its data files. Call `refresh` from time to
 * time, as for `FolderWatch`, because folders come and go.
 */
export class BundleWatch {
  readonly #path: string;
  readonly #onChange: () => void;
  readonly #fixed: readonly FolderWatch[];
  readonly #data = new Map<string, FolderWatch>();
  #closed = false;

  /** `path` is absolute: a policy file or a directory. */
  constructor(path: string, onChange: () => void) {
    this.#path = path;
    this.#onChange = onChange;
    this.#fixed = [
      // Entries of the directory; watches nothing if the path is a file.
      new FolderWatch(path, onChange),
      // The file or directory itself, which may be replaced or be a link.
      new FolderWatch(dirname(path), (name) => {
        if (name === null || name === basename(path)) onChange();
      }),
    ];
  }

  async refresh(): Promise<void> {
    const folders = (await listDataFolders(this.#path)).slice(0, FOLDERS_MAX);
    if (this.#closed) return;
    for (const [folder, watch] of this.#data) {
      if (folders.includes(folder)) continue;
      watch.close();
      this.#data.delete(folder);
    }
    for (const folder of folders) {
      if (!this.#data.has(folder)) this.#data.set(folder, new FolderWatch(folder, this.#onChange));
    }
    await Promise.all([...this.#fixed, ...this.#data.values()].map((watch) => watch.refresh()));
  }

  close(): void {
    this.#closed = true;
    for (const watch of [...this.#fixed, ...this.#data.values()]) watch.close();
  }
}
