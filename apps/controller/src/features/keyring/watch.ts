import { type Database, OUTBOX_CHANNEL } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import type { InstallationKeyring } from './keyring.ts';

/** Told to all controllers when a key was made. */
export const KEYS_TOPIC = 'keys.changed';

/** Read anew this often in any case: a new key seals SEALS_AFTER_MS after it was made, heard of or not. */
const LOOK_MS = 1000;

/** From the making of a data key until values are sealed with it: every controller has looked by then. */
export const SEALS_AFTER_MS = 3000;

/** Keeps a keyring up with the keys that any controller makes. */
export class KeyWatch implements Closable {
  readonly #keyring: InstallationKeyring;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #stopListening: (() => Promise<void>) | undefined;
  #looking: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(keyring: InstallationKeyring, logger: Logger) {
    this.#keyring = keyring;
    this.#logger = logger;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  async start(database: Pick<Database, 'listen'>): Promise<void> {
    this.#stopListening = await database.listen(OUTBOX_CHANNEL, {
      onNotify: (topic) => {
        if (topic === KEYS_TOPIC) this.#look();
      },
      onGap: () => this.#look(),
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#stopListening?.();
    await this.#looking;
  }

  #look(): void {
    this.#looking = this.#keyring.refresh().then(
      () => {
        this.#hasFailed = false;
      },
      (error: unknown) => {
        // Once: a database that is away is away for many looks.
        if (!this.#hasFailed) this.#logger.warn({ err: error }, 'keys.read_failed');
        this.#hasFailed = true;
      },
    );
  }
}
