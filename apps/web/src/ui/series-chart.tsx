import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { SeriesChartProps } from './series-plot.tsx';

const SeriesPlot = lazy(async () => {
  ensureLocale();
  return { default: (await import('./series-plot.tsx')).SeriesPlot };
});

/** uPlot cannot be loaded where the browser names a language that is none: Chromium does under the locale POSIX. */
function ensureLocale(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
}

export type { Series, SeriesChartProps } from './series-plot.tsx';

/** Series over time; the drawing library is fetched when the first chart is shown. */
export function SeriesChart(props: SeriesChartProps) {
  return (
    <Suspense fallback={<Skeleton height={(props.height ?? 160) + 26} aria-busy="true" />}>
      <SeriesPlot {...props} />
    </Suspense>
  );
}
