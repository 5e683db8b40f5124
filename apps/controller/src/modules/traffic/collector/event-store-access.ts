import type { EventStore } from '@flotilla/event-store';

/** The event store, if this controller has one. Both members change while the program runs: read them for each request. */
export interface EventStoreAccess {
  readonly store: EventStore | undefined;
  /** Says to people why there is no store. */
  readonly reason: string | undefined;
}
