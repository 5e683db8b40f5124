import { Skeleton } from '@mantine/core';
import { type ComponentProps, lazy, Suspense } from 'react';
import type * as breakdown from './request-breakdown.tsx';

const Breakdown = lazy(async () => ({ default: (await import('./request-breakdown.tsx')).RequestBreakdown }));

/** Other features show it on pages that most people open for something else, so it is a chunk of its own. */
export function RequestBreakdown(props: ComponentProps<typeof breakdown.RequestBreakdown>) {
  return (
    <Suspense fallback={<Skeleton height={320} aria-busy="true" />}>
      <Breakdown {...props} />
    </Suspense>
  );
}
