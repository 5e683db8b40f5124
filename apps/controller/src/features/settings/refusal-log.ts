import type { Logger } from '@flotilla/kit';
import type { Refusal } from './stored-value.ts';

/** Places that are remembered: all that an installation is likely to have. */
const PLACES_MAX = 1000;

interface Place {
  readonly key: string;
  readonly project?: string;
  readonly name?: string;
}

/** Tells of what is refused once for each write of it, however often it is read. */
export class RefusalLog {
  readonly #logger: Logger;
  readonly #told = new Map<string, string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  tell(place: Place, { version, refused }: { readonly version: string; readonly refused: readonly Refusal[] }): void {
    const { key, project = '', name = '' } = place;
    const id = JSON.stringify([key, project, name]);
    if (refused.length === 0) {
      this.#told.delete(id);
      return;
    }
    if (this.#told.get(id) === version) return;
    if (this.#told.size >= PLACES_MAX) this.#told.clear();
    this.#told.set(id, version);
    this.#logger.error({ ...place, refused }, 'settings.refused');
  }
}
