import type { SettingsType } from '@flotilla/contract';
import { type Database, OUTBOX_CHANNEL } from '@flotilla/db';
import { type Closable, CoalescedWork, type Logger, withDeadline } from '@flotilla/kit';
import type * as z from 'zod';
import type { SettingReader } from './reader.ts';
import { SETTING_TOPIC } from './write.ts';

/** Poll interval, in case a notification was lost. */
const RECHECK_MS = 5000;
/** A read that hangs on a dead connection delays all others. Its late result is dropped. */
const READ_DEADLINE_MS = 10_000;

interface Watched {
  /** Version that the listener received last. */
  seen: string | undefined;
  check(): Promise<void>;
}

/** Notifies listeners about settings changed on any controller. */
export class SettingsWatch implements Closable {
  readonly #reader: SettingReader;
  readonly #logger: Logger;
  readonly #watched = new Set<Watched>();
  readonly #timer: NodeJS.Timeout;
  #stopListening: (() => Promise<void>) | undefined;
  readonly #checking = new CoalescedWork(() => this.#check());

  constructor(reader: SettingReader, logger: Logger) {
    this.#reader = reader;
    this.#logger = logger;
    this.#timer = setInterval(() => this.#checking.request(), RECHECK_MS);
    this.#timer.unref();
  }

  /** Resolves when every change that is committed from now on is noticed. */
  async start(database: Pick<Database, 'listen'>): Promise<void> {
    this.#stopListening = await database.listen(OUTBOX_CHANNEL, {
      onNotify: (topic) => {
        if (topic === SETTING_TOPIC) this.#checking.request();
      },
      onGap: () => this.#checking.request(),
    });
  }

  /**
   * Calls the listener with the current value before it resolves, and with every later one. A current value that the
   * schema refuses does not prevent the start: the listener gets the acceptable part, and nothing less strict.
   */
  async add<S extends z.ZodObject>(type: SettingsType<S>, listener: (value: z.output<S>) => void): Promise<Closable> {
    const watched: Watched = {
      seen: undefined,
      check: async () => {
        const { value, version } = await withDeadline(
          this.#reader.get(type),
          READ_DEADLINE_MS,
          `${type.key} is not answered for`,
        );
        if (watched.seen === version) return;
        listener(value);
        // Set after the call, so that a listener that throws is called again.
        watched.seen = version;
      },
    };
    const { value, version, refused } = await this.#reader.getAcceptable(type);
    if (refused.length > 0) this.#logger.error({ key: type.key, refused }, 'settings.refused');
    listener(value);
    // A refused value is not marked as seen: it may become acceptable later, such as a secret whose key is read by
    // then.
    if (refused.length === 0) watched.seen = version;
    // Added after the first call, so that two checks of one listener never overlap. The next check finds changes made
    // in between.
    this.#watched.add(watched);
    this.#checking.request();
    return {
      close: async () => {
        this.#watched.delete(watched);
      },
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#watched.clear();
    await this.#stopListening?.();
    await this.#checking.settle();
  }

  async #check(): Promise<void> {
    for (const watched of [...this.#watched]) {
      await watched.check().catch((error: unknown) => this.#logger.warn({ err: error }, 'settings.check_failed'));
    }
  }
}
