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
 * Turns change events into refetches of what is on the screen: each topic at most every quarter of a second, samples of
 * hosts every five seconds.
 */
export class Invalidator {
  readonly #client: QueryClient;
  readonly #waiting = new Set<EventTopic>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #samplesTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: QueryClient) {
    this.#client = client;
  }

  note(event: ChangeEvent): void {
    if (event.topic === 'client' && event.change === 'stats') {
      this.#samplesTimer ??= setTimeout(() => {
        this.#samplesTimer = undefined;
        this.#wait('client');
      }, SAMPLES_GATHER_MS);
    } else this.#wait(event.topic);
  }

  #wait(topic: EventTopic): void {
    this.#waiting.add(topic);
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#flush(), GATHER_MS);
  }

  resync(): void {
    void this.#client.invalidateQueries();
  }

  #flush(): void {
    const topics = new Set(this.#waiting);
    this.#waiting.clear();
    this.#timer = undefined;
    const now = Date.now();
    void this.#client.invalidateQueries(
      {
        predicate: (query) => {
          if (!query.meta?.topics?.some((topic) => topics.has(topic))) return false;
          const pages = (query.state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 1;
          if (pages <= BIG_LIST_PAGES || now - query.state.dataUpdatedAt > BIG_LIST_GATHER_MS) return true;
          // Thousands of rows are not fetched anew four times a second, but the last change must show too.
          for (const topic of query.meta.topics) if (topics.has(topic)) this.#waiting.add(topic);
          return false;
        },
      },
      { cancelRefetch: false },
    );
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#flush(), BIG_LIST_GATHER_MS);
  }
}
