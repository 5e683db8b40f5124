import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { SeriesChartProps } from './series.ts';

const SeriesPlot = lazy(async () => {
  ensureLocale();
  return { default: (await import('./series-plot.tsx')).SeriesPlot };
});

/** uPlot fails to load if the browser reports an invalid language, as Chromium does under the POSIX locale. */
function ensureLocale(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
}

/** Draws series over time; loads the chart library with the first chart. */
export function SeriesChart(props: SeriesChartProps) {
  return (
    <Suspense fallback={<Skeleton height={(props.height ?? 160) + 26} aria-busy="true" />}>
      <SeriesPlot {...props} />
    </Suspense>
  );
}
