import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../api/index.ts';
import { Problem } from './notice.tsx';
import { texts } from './texts.tsx';

const text = texts.loaded;

export interface LoadedProps<T> {
  readonly query: {
    readonly data: T | undefined;
    readonly error: unknown;
    readonly isError: boolean;
    readonly refetch: () => unknown;
  };
  /** `The client`, `The counters`: subject of the error message. */
  readonly what: string;
  /** Has the size of the content, so that nothing moves when it is loaded. A number is a count of lines. */
  readonly skeleton?: ReactNode | number;
  /** Shown if the record does not exist, instead of an error with a useless retry. */
  readonly missing?: ReactNode;
  readonly children: (data: T) => ReactNode;
}

/** Renders a query: a skeleton while loading, an error with a retry, and the old answer while a newer one fails. */
export function Loaded<T>({ query, what, skeleton = 5, missing, children }: LoadedProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (missing && isMissing(query.error)) return <>{missing}</>;
  if (query.isError)
    return <Problem error={query.error} what={text.failed(what)} onRetry={() => void query.refetch()} />;
  return <div aria-busy="true">{typeof skeleton === 'number' ? <Lines count={skeleton} /> : skeleton}</div>;
}

/** Whether the record does not exist. An ID of another form refers to none. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.code === 'request.invalid');
}

function Lines({ count }: { count: number }) {
  return Array.from({ length: count }, (_, line) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
    <Skeleton key={line} height={14} mb={10} width={`${95 - ((line * 17) % 40)}%`} />
  ));
}
