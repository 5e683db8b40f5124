import type { Logger } from '@flotilla/kit';
import type { Refusal } from './stored-value.ts';

/** Maximum of remembered documents, more than an installation usually has. */
const PLACES_MAX = 1000;

interface Place {
  readonly key: string;
  readonly project?: string;
  readonly name?: string;
}

/** Logs a refused value once per write, however often it is read. */
export class RefusalLog {
  readonly #logger: Logger;
  readonly #logged = new Map<string, string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  tell(place: Place, { version, refused }: { readonly version: string; readonly refused: readonly Refusal[] }): void {
    const { key, project = '', name = '' } = place;
    const id = JSON.stringify([key, project, name]);
    if (refused.length === 0) {
      this.#logged.delete(id);
      return;
    }
    if (this.#logged.get(id) === version) return;
    if (this.#logged.size >= PLACES_MAX) this.#logged.clear();
    this.#logged.set(id, version);
    this.#logger.error({ ...place, refused }, 'settings.refused');
  }
}
