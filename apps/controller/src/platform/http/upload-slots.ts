import { failSetting } from '@flotilla/contract';

const UPLOADS_MAX = 2;

/**
 * Limits concurrent uploads per project, or for the installation, on one controller: each needs memory and disk space.
 */
export class UploadSlots {
  readonly #taken = new Map<string | null, number>();

  /** `project` null: the installation. Throws upload.busy. */
  async hold<T>(project: string | null, work: () => Promise<T>): Promise<T> {
    const taken = this.#taken.get(project) ?? 0;
    if (taken >= UPLOADS_MAX) throw failSetting('upload.busy', { max: UPLOADS_MAX });
    this.#taken.set(project, taken + 1);
    try {
      return await work();
    } finally {
      const left = (this.#taken.get(project) ?? 1) - 1;
      if (left > 0) this.#taken.set(project, left);
      else this.#taken.delete(project);
    }
  }
}
