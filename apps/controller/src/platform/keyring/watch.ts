import { type Database, OUTBOX_CHANNEL } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import type { InstallationKeyring } from './keyring.ts';

/** Notifies all controllers about a new key. */
export const KEYS_TOPIC = 'keys.changed';

/** Poll interval: a new key starts to encrypt after SEALS_AFTER_MS even if the notification is lost. */
const LOOK_MS = 1000;

/** Delay before a new data key encrypts values. By then every controller has read it. */
export const SEALS_AFTER_MS = 3000;

/** Keeps a keyring up to date with keys that any controller creates. */
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
        // Logs once: an unreachable database fails many polls.
        if (!this.#hasFailed) this.#logger.warn({ err: error }, 'keys.read_failed');
        this.#hasFailed = true;
      },
    );
  }
}
