import type { OutboxEvent } from '@flotilla/db';
import type { fleet } from '@flotilla/proto';

/** Pairs of clients, which another module keeps. */
export interface PairsPort {
  /**
   * Returns the configuration of a member of a pair; undefined for other clients. `isNew`: it differs from what the client was last
   * given. Clients that are asked for at once share their queries.
   */
  desiredFor(clientId: string): Promise<{ readonly pair: fleet.HaPair; readonly isNew: boolean } | undefined>;
  /** Clients whose pairs these events may have changed. */
  findReached(events: readonly OutboxEvent[]): Promise<ReadonlySet<string>>;
  /** Never rejects: a report that cannot be stored is followed by another one. */
  recordReport(clientId: string, report: fleet.HaReport, now: Date): Promise<void>;
  /** The stream of the client has ended. */
  forget(clientId: string): void;
}
