import type { TrafficGap, TrafficStats } from '@flotilla/contract';
import { Skeleton } from '@mantine/core';
import { useMemo } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { SeriesChart } from '../../../ui/index.ts';
import { StoreLoaded } from '../store-loaded.tsx';
import { type TimeWindow, toZoom } from '../time-window.ts';
import { toDecisionLines } from './decision-lines.ts';
import { texts } from './texts.ts';

interface DecisionChartProps {
  readonly window: TimeWindow;
  /** Filters of the API. */
  readonly filters: Readonly<Record<string, unknown>>;
  /** Minutes in which requests were lost. */
  readonly gaps: readonly TrafficGap[];
  readonly height?: number;
}

/** Requests over time, by what the filter decided about them. Dragging chooses the range of the page. */
export function DecisionChart({ window: { from, to }, filters, gaps, height = 120 }: DecisionChartProps) {
  const project = useProject();
  const query = useApi(
    routes.trafficInsight.stats,
    { query: { project: project.id, from, to, by: 'action', ...filters } as never },
    { keepPrevious: true },
  );
  return (
    <StoreLoaded isPart query={query} what={texts.what} skeleton={<Skeleton height={height + 26} />}>
      {({ body }) => <Chart stats={body} gaps={gaps} height={height} />}
    </StoreLoaded>
  );
}

interface ChartProps extends Pick<DecisionChartProps, 'gaps'> {
  readonly stats: TrafficStats;
  readonly height: number;
}

function Chart({ stats, gaps, height }: ChartProps) {
  const url = useUrlState();
  const { times, series, openFrom, hasGaps } = useMemo(() => toDecisionLines(stats, gaps), [stats, gaps]);
  return (
    <SeriesChart
      title={texts.chart}
      times={times}
      series={series}
      format={(value) => Math.round(value).toLocaleString('en')}
      height={height}
      isCount
      openFrom={openFrom}
      hasGaps={hasGaps}
      onZoom={(from, to) => url.set({ ...toZoom(from, to), range: undefined, live: undefined }, 'push')}
    />
  );
}
