import { withDeadline } from '@flotilla/kit';

/** All other numbers of a scrape wait for those of the database. */
const READ_DEADLINE_MS = 2000;

export interface ScrapeOptions {
  /** Whoever asks more often hears what was read before. */
  readonly everyMs: number;
  readonly now: () => Date;
}

/**
 * What gauges tell of the database: read once for all gauges of a scrape, and for those of other scrapes within the same time.
 * Undefined while the database does not answer.
 */
export function readForScrapes<T>(
  read: (at: Date) => Promise<T>,
  { everyMs, now }: ScrapeOptions,
): () => Promise<T | undefined> {
  let known: Promise<T> | undefined;
  let readAt = 0;
  let isReading = false;

  // One question at a time: of those that hang, each would keep a connection.
  function isDue(at: Date): boolean {
    return !isReading && (known === undefined || at.getTime() - readAt >= everyMs);
  }

  async function ask(at: Date): Promise<T> {
    readAt = at.getTime();
    isReading = true;
    try {
      return await read(at);
    } catch (error) {
      // What failed is asked again at once.
      known = undefined;
      throw error;
    } finally {
      isReading = false;
    }
  }

  return async () => {
    const at = now();
    if (isDue(at)) known = ask(at);
    return known && withDeadline(known, READ_DEADLINE_MS, 'the database does not answer').catch(() => undefined);
  };
}
