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
  /** Change events that make the answer stale: see the events' contract. */
  readonly topics?: Topics;
  /** False: not asked (yet). */
  readonly enabled?: boolean;
  /** Keeps showing the answer to the previous question until the next is there. */
  readonly keepPrevious?: boolean;
  /** For what no event tells of; by the newest answer, so that it may end. */
  readonly refetchEveryMs?: (answer: T | undefined) => number | false;
}

/** The answer with the record's ETag, to be sent back with a change. */
export interface Loaded<T> {
  readonly body: T;
  readonly etag: string | undefined;
}

/** Reads a route and keeps the answer fresh. Equal questions share one answer. */
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

/** The same question for `prefetchQuery`: what is asked early is there when a screen asks. */
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

/** An answer that a write or a read by other means has given: whoever asks this question has it without asking. */
export function keepAnswer<R extends RouteContract>(
  client: QueryClient,
  route: RouteRef<R>,
  { input, answer }: { input: CallInput<R>; answer: Loaded<CallOutput<R>> },
): void {
  client.setQueryData(keyOf(route, input), { body: answer.body, etag: answer.etag });
}

/** All answers of a route, whatever was asked: after a write, before its change event arrives. */
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
  /** Asks for the next page where there is one and it is not on its way. */
  readonly loadMore: () => void;
}

/** What fills a screen comes first and fast; whoever scrolls gets more at a time. */
const FIRST_PAGE_ROWS = 100;
const PAGE_ROWS = 500;

/** Reads a list page by page. The question changes with filters and sorting; the old rows stay until the new are there. */
export function useApiList<T>(
  route: RouteRef,
  input: { params?: Record<string, string>; query: Record<string, unknown> },
  {
    topics,
    enabled,
    refetchEveryMs,
  }: Pick<UseApiOptions, 'topics' | 'enabled'> & {
    /** For what no event tells of. */ readonly refetchEveryMs?: number;
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
