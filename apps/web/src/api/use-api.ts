import type { CallInput, CallOutput, RouteContract } from '@flotilla/contract';
import {
  keepPreviousData,
  type QueryClient,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { call, type RouteRef } from './call.ts';
import type { Topics } from './query-client.ts';

export interface UseApiOptions<T = unknown> {
  /** Topics of the change events that make the answer stale: see the events' contract. */
  readonly topics?: Topics;
  /** False: no request is sent (yet). */
  readonly enabled?: boolean;
  /** Shows the previous answer until the next one arrives. */
  readonly keepPrevious?: boolean;
  /** Returns the polling interval for data without events. Gets the newest answer, so that polling may stop. */
  readonly refetchEveryMs?: (answer: T | undefined) => number | false;
}

/** The answer with the ETag of the record, to send back with a change. */
export interface Loaded<T> {
  readonly body: T;
  readonly etag: string | undefined;
}

/** Reads a route and keeps the answer fresh. Equal queries share one answer. */
export function useApi<R extends RouteContract>(
  route: RouteRef<R>,
  input: CallInput<R>,
  { topics, enabled, keepPrevious, refetchEveryMs }: UseApiOptions<CallOutput<R>> = {},
): UseQueryResult<Loaded<CallOutput<R>>> {
  return useQuery<Loaded<CallOutput<R>>>({
    ...questionOf(route, input, topics),
    ...(enabled !== undefined && { enabled }),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
    ...(refetchEveryMs && {
      refetchInterval: ({ state }) => refetchEveryMs(state.data?.body),
    }),
  });
}

/** Returns the same query for `prefetchQuery`. */
export function questionOf<R extends RouteContract>(route: RouteRef<R>, input: CallInput<R>, topics?: Topics) {
  return {
    queryKey: keyOf(route, input),
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Loaded<CallOutput<R>>> => {
      const { body, etag } = await call(route, input, { signal });
      return { body, etag };
    },
    ...(topics && { meta: { topics } }),
  };
}

function keyOf<R extends RouteContract>(route: RouteRef<R>, input: CallInput<R>): readonly unknown[] {
  return [route.id, input];
}

/** Stores an answer that a write or another read returned, so that its query needs no request. */
export function keepAnswer<R extends RouteContract>(
  client: QueryClient,
  route: RouteRef<R>,
  { input, answer }: { input: CallInput<R>; answer: Loaded<CallOutput<R>> },
): void {
  client.setQueryData(keyOf(route, input), { body: answer.body, etag: answer.etag });
}

/** Invalidates all answers of the routes: after a write, before its change event arrives. */
export async function invalidate(client: QueryClient, ...routes: readonly RouteRef[]): Promise<void> {
  await Promise.all(routes.map(({ id }) => client.invalidateQueries({ queryKey: [id] })));
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
  readonly total?: number | undefined;
}

export interface ApiList<T> {
  readonly rows: readonly T[];
  readonly total: number | undefined;
  readonly query: UseInfiniteQueryResult<unknown>;
  /** Loads the next page if there is one and it is not loading. */
  readonly loadMore: () => void;
}

/** The first page fills a screen fast; later pages are larger. */
const FIRST_PAGE_ROWS = 100;
const PAGE_ROWS = 500;

/** Reads a list page by page. Filters and sorting change the query; the old rows stay until the new ones arrive. */
export function useApiList<T>(
  route: RouteRef,
  input: { params?: Record<string, string>; query: Record<string, unknown> },
  {
    topics,
    enabled,
    refetchEveryMs,
  }: Pick<UseApiOptions, 'topics' | 'enabled'> & {
    /** For data without events. */ readonly refetchEveryMs?: number;
  } = {},
): ApiList<T> {
  const query = useInfiniteQuery({
    queryKey: [route.id, 'list', input],
    queryFn: async ({ pageParam, signal }) => {
      const question = {
        ...input,
        query: { limit: pageParam === undefined ? FIRST_PAGE_ROWS : PAGE_ROWS, ...input.query, cursor: pageParam },
      };
      const { body } = await call(route, question as CallInput<RouteContract>, { signal });
      return body as Page<T>;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    ...(topics && { meta: { topics } }),
    ...(enabled !== undefined && { enabled }),
    ...(refetchEveryMs !== undefined && { refetchInterval: refetchEveryMs }),
  });
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap((page) => page.items) ?? [], [pages]);
  return {
    rows,
    total: pages?.[0]?.total ?? (query.hasNextPage ? undefined : rows.length),
    query,
    loadMore: () => {
      if (query.hasNextPage && !query.isFetching) void query.fetchNextPage();
    },
  };
}
