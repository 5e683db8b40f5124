import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { SeriesChartProps } from './series-plot.tsx';

const SeriesPlot = lazy(async () => ({ default: (await import('./series-plot.tsx')).SeriesPlot }));

export type { Series, SeriesChartProps } from './series-plot.tsx';

/** Series over time; the drawing library is fetched when the first chart is shown. */
export function SeriesChart(props: SeriesChartProps) {
  return (
    <Suspense fallback={<Skeleton height={(props.height ?? 160) + 26} />}>
      <SeriesPlot {...props} />
    </Suspense>
  );
}
