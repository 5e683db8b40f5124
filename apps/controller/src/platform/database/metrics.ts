import { withDeadline } from '@flotilla/kit';

/** All other metrics of a scrape wait for those of the database. */
const READ_DEADLINE_MS = 2000;

export interface ScrapeOptions {
  /** More frequent scrapes get the previous values. */
  readonly everyMs: number;
  readonly now: () => Date;
}

/**
 * Reads the database once for all gauges of a scrape, and for other scrapes within the same time. undefined while the
 * database does not answer.
 */
export function readForScrapes<T>(
  read: (at: Date) => Promise<T>,
  { everyMs, now }: ScrapeOptions,
): () => Promise<T | undefined> {
  let known: Promise<T> | undefined;
  let readAt = 0;
  let isReading = false;

  // Allows one query at a time: each query that hangs would hold a connection.
  function isDue(at: Date): boolean {
    return !isReading && (known === undefined || at.getTime() - readAt >= everyMs);
  }

  async function ask(at: Date): Promise<T> {
    readAt = at.getTime();
    isReading = true;
    try {
      return await read(at);
    } catch (error) {
      // A failed read is retried at once.
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
