import type { ChangeEvent, EventTopic } from '@flotilla/contract';
import { QueryClient } from '@tanstack/react-query';
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
      // Change events say when something is stale; this is for what has none.
      staleTime: 30_000,
      retry: (failures, error) => failures < RETRIES_MAX && isPassing(error),
      retryDelay: (failures) => 400 * 2 ** failures,
      refetchOnWindowFocus: false,
      // The browser's idea of being online says nothing of a controller on this host or network.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** Whether asking again may help. */
function isPassing(error: Error): boolean {
  return error instanceof OfflineError || (error instanceof ApiError && error.status >= 502);
}

const GATHER_MS = 250;
/** Samples of hosts arrive all the time, from a large fleet hundreds a second. */
const SAMPLES_GATHER_MS = 5000;
const BIG_LIST_PAGES = 3;
const BIG_LIST_GATHER_MS = 5000;

/**
 * Turns change events into refetches of what is on the screen: each topic at most every quarter of a second; samples of
 * hosts, and lists of many pages, every five seconds.
 */
export class Invalidator {
  readonly #client: QueryClient;
  readonly #soon: Gatherer<EventTopic>;
  readonly #later: Gatherer<EventTopic>;
  readonly #samples: Gatherer<EventTopic>;

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

  resync(): void {
    void this.#client.invalidateQueries();
  }

  #note(topic: EventTopic): void {
    this.#soon.add(topic);
    this.#later.add(topic);
  }

  #invalidate(topics: ReadonlySet<EventTopic>, isMeant: (pages: number) => boolean): void {
    void this.#client.invalidateQueries(
      {
        predicate: ({ meta, state }) => {
          if (!meta?.topics?.some((topic) => topics.has(topic))) return false;
          return isMeant((state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 1);
        },
      },
      { cancelRefetch: false },
    );
  }
}

/** Thousands of rows are not fetched anew four times a second. */
function isShort(pages: number): boolean {
  return pages <= BIG_LIST_PAGES;
}

/** Collects what is added and gives it out together, a while after the first. */
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
