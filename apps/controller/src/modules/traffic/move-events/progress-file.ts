import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CopyProgress } from '@flotilla/event-store';
import * as z from 'zod';

const progressSchema = z.object({
  /** The two stores, without credentials: another pair begins again. */
  between: z.string(),
  /** Batches of a copy with the same name are stored once. */
  name: z.string(),
  progress: z
    .object({ project: z.string(), cursor: z.string().nullable(), batches: z.number(), events: z.number() })
    .nullable(),
});
export type MoveState = z.infer<typeof progressSchema> & { readonly progress: CopyProgress | null };

/** How far a copy has got, in a file of the data folder. */
export class ProgressFile {
  readonly #path: string;

  constructor(dataDir: string) {
    this.#path = join(dataDir, 'event-move.json');
  }

  /** Undefined: no copy between these stores was interrupted. */
  async read(between: string): Promise<MoveState | undefined> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const parsed = progressSchema.safeParse(JSON.parse(text));
    return parsed.success && parsed.data.between === between ? parsed.data : undefined;
  }

  /** Replaces the file as a whole. */
  async write(state: MoveState): Promise<void> {
    const next = `${this.#path}.new`;
    await writeFile(next, JSON.stringify(state), { mode: 0o600, flush: true });
    await rename(next, this.#path);
  }

  delete(): Promise<void> {
    return rm(this.#path, { force: true });
  }
}
