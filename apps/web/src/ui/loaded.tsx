import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from './notice.tsx';

export interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  /** `The client`, `The counters`: for the error. */
  readonly what: string;
  /** Of the real size, so that nothing jumps. A number: that many lines. */
  readonly skeleton?: ReactNode | number;
  readonly children: (data: T) => ReactNode;
}

/** What a query answers: a skeleton before, an error with a way to try again, and the old answer while a newer one fails. */
export function Loaded<T>({ query, what, skeleton = 5, children }: LoadedProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError)
    return <Problem error={query.error} what={`${what} could not be loaded`} onRetry={() => void query.refetch()} />;
  return <div aria-busy="true">{typeof skeleton === 'number' ? <Lines count={skeleton} /> : skeleton}</div>;
}

function Lines({ count }: { count: number }) {
  return Array.from({ length: count }, (_, line) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
    <Skeleton key={line} height={14} mb={10} width={`${95 - ((line * 17) % 40)}%`} />
  ));
}
