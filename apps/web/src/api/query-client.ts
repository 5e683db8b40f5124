import type { ChangeEvent, EventTopic } from '@flotilla/contract';
import { type Query, QueryClient } from '@tanstack/react-query';
import { ApiError, OfflineError } from './call.ts';

/** Topics of change events that make an answer stale. */
export type Topics = readonly EventTopic[];

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: Error;
    queryMeta: { topics?: Topics };
  }
}

const RETRIES_MAX = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Change events mark data as stale; this is for data without events.
      staleTime: 30_000,
      retry: (failures, error) => failures < RETRIES_MAX && isPassing(error),
      retryDelay: (failures) => 400 * 2 ** failures,
      refetchOnWindowFocus: false,
      // The browser's online state says nothing about a controller on this host or network.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** Whether a retry may help. */
export function isPassing(error: Error): boolean {
  return error instanceof OfflineError || (error instanceof ApiError && error.status >= 502);
}

const GATHER_MS = 250;
/** Host samples arrive all the time, hundreds per second in a large fleet. */
const SAMPLES_GATHER_MS = 5000;
const BIG_LIST_PAGES = 3;
const BIG_LIST_GATHER_MS = 5000;

/**
 * Turns change events into refetches of what is on the screen: each topic at most every quarter of a second; host
 * samples and lists of many pages every five seconds.
 */
export class Invalidator {
  readonly #client: QueryClient;
  readonly #soon: Gatherer<EventTopic>;
  readonly #later: Gatherer<EventTopic>;
  readonly #samples: Gatherer<EventTopic>;
  /** Requests in flight whose data has changed since they were sent. */
  readonly #outdated = new Set<Query>();

  constructor(client: QueryClient) {
    this.#client = client;
    this.#soon = new Gatherer(GATHER_MS, (topics) => this.#invalidate(topics, isShort));
    this.#later = new Gatherer(BIG_LIST_GATHER_MS, (topics) => this.#invalidate(topics, (pages) => !isShort(pages)));
    this.#samples = new Gatherer(SAMPLES_GATHER_MS, (topics) => {
      for (const topic of topics) this.#note(topic);
    });
  }

  note(event: ChangeEvent): void {
    if (event.topic === 'client' && event.change === 'stats') this.#samples.add('client');
    else this.#note(event.topic);
  }

  /** Changes may have been missed: refetches everything. */
  resync(): void {
    const underWay = this.#client.getQueryCache().findAll({ fetchStatus: 'fetching' });
    void this.#client.invalidateQueries();
    for (const query of underWay) this.#askOnceMore(query);
  }

  /** Changes arrive from here on: earlier answers may be outdated. */
  begin(): void {
    this.#refetch(({ meta, state }) => meta?.topics !== undefined && state.status !== 'error');
  }

  #note(topic: EventTopic): void {
    this.#soon.add(topic);
    this.#later.add(topic);
  }

  #invalidate(topics: ReadonlySet<EventTopic>, isMeant: (pages: number) => boolean): void {
    this.#refetch(({ meta, state }) => {
      if (!meta?.topics?.some((topic) => topics.has(topic))) return false;
      return isMeant((state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 1);
    });
  }

  #refetch(predicate: (query: Query) => boolean): void {
    const underWay = this.#client.getQueryCache().findAll({ fetchStatus: 'fetching', predicate });
    void this.#client.invalidateQueries({ predicate }, { cancelRefetch: false });
    for (const query of underWay) this.#askOnceMore(query);
  }

  /** Repeats a request in flight: its answer may predate the change and would be taken for a current one. */
  #askOnceMore(query: Query): void {
    if (this.#outdated.has(query)) return;
    this.#outdated.add(query);
    const forget = () => this.#outdated.delete(query);
    const again = () => {
      forget();
      const { queryKey } = query;
      void this.#client.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
    };
    query.promise?.then(again, forget);
  }
}

/** Thousands of rows are not refetched four times a second. */
function isShort(pages: number): boolean {
  return pages <= BIG_LIST_PAGES;
}

/** Collects items and emits them together, some time after the first. */
class Gatherer<T> {
  readonly #waitMs: number;
  readonly #give: (gathered: ReadonlySet<T>) => void;
  #gathered: Set<T> | undefined;

  constructor(waitMs: number, give: (gathered: ReadonlySet<T>) => void) {
    this.#waitMs = waitMs;
    this.#give = give;
  }

  add(one: T): void {
    if (this.#gathered) {
      this.#gathered.add(one);
      return;
    }
    const gathered = new Set([one]);
    this.#gathered = gathered;
    setTimeout(() => {
      this.#gathered = undefined;
      this.#give(gathered);
    }, this.#waitMs);
  }
}
