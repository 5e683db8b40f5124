import type { SettingsType } from '@flotilla/contract';
import { type Database, OUTBOX_CHANNEL } from '@flotilla/db';
import { type Closable, CoalescedWork, type Logger, withDeadline } from '@flotilla/kit';
import type * as z from 'zod';
import type { SettingReader } from './reader.ts';
import { SETTING_TOPIC } from './write.ts';

/** Read anew this often in any case: a notification may have been lost. */
const RECHECK_MS = 5000;
/** One that hangs on a connection whose other end is gone keeps all others waiting. What it reads too late is told to nobody. */
const READ_DEADLINE_MS = 10_000;

interface Watched {
  /** Of what the listener was told last. */
  seen: string | undefined;
  check(): Promise<void>;
}

/** Tells of settings that were changed at any controller. */
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

  /** Resolves when every change that is committed from now on is heard. */
  async start(database: Pick<Database, 'listen'>): Promise<void> {
    this.#stopListening = await database.listen(OUTBOX_CHANNEL, {
      onNotify: (topic) => {
        if (topic === SETTING_TOPIC) this.#checking.request();
      },
      onGap: () => this.#checking.request(),
    });
  }

  /**
   * Tells the listener of the present value before it resolves, and of every later one. A present value that the schema
   * refuses keeps no controller from starting: the listener is told what of it can hold, and nothing looser.
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
        // Only now: a listener that throws is told again.
        watched.seen = version;
      },
    };
    const { value, version, refused } = await this.#reader.getAcceptable(type);
    if (refused.length > 0) this.#logger.error({ key: type.key, refused }, 'settings.refused');
    listener(value);
    // Of what is refused nothing is seen: it may be taken later as it is, as a secret whose key is read by then.
    if (refused.length === 0) watched.seen = version;
    // Only now, so that no two checks of one listener ever cross; what was changed meanwhile is found by this one.
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
