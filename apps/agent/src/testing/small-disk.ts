import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

const CHUNKS = [1 << 20, 4_096, 1];

/** A separate disk of 32 MiB. Needs root. */
export class SmallDisk {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    mkdirSync(path, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m,mode=0755', 'none', path]);
  }

  /** Fills all remaining space. */
  async fill(): Promise<void> {
    const ballast = await open(this.#ballast, 'a');
    for (const size of CHUNKS) {
      try {
        for (;;) await ballast.appendFile(Buffer.alloc(size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
    await ballast.close();
  }

  free(): Promise<void> {
    return rm(this.#ballast, { force: true });
  }

  unmount(): void {
    execFileSync('umount', ['-l', this.path]);
  }

  get #ballast(): string {
    return join(this.path, 'ballast');
  }
}
