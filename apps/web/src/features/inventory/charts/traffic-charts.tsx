import type { TrafficGap, TrafficSeriesPoint } from '@flotilla/contract';
import { SimpleGrid, Title } from '@mantine/core';
import { type ComponentProps, useMemo } from 'react';
import { useUrlState } from '../../../app/url-state.ts';
import { formatBytes, SeriesChart } from '../../../ui/index.ts';
import classes from '../inventory.module.css';
import { formatLatency } from '../looks.ts';
import { texts } from '../texts.tsx';
import { toZoom } from '../time-window.ts';
import { formatPercent } from './parts-bar.tsx';
import { formatRate, type Granularity, toLines, toMarks } from './traffic-lines.ts';

const text = texts.charts;

const CHART_PX = 190;

interface Spec {
  readonly title: string;
  readonly format: (value: number) => string;
  readonly leastTop: number;
  readonly isBytes?: true;
}

const whole = (value: number) => Math.round(value).toLocaleString('en');

const SPECS = {
  requests: { title: text.requests, format: formatRate, leastTop: 0.1 },
  latency: { title: text.latency, format: formatLatency, leastTop: 1 },
  errors: { title: text.errors, format: formatPercent, leastTop: 0.01 },
  bytes: {
    title: text.bytes,
    format: (value: number) => text.perSecond(formatBytes(value)),
    leastTop: 1,
    isBytes: true,
  },
  uniques: { title: text.uniques, format: whole, leastTop: 1 },
  risk: { title: text.risk, format: whole, leastTop: 10 },
} as const satisfies Readonly<Record<string, Spec>>;

interface TrafficChartsProps {
  readonly answer: { readonly points: readonly TrafficSeriesPoint[]; readonly granularity: Granularity };
  readonly gaps: readonly TrafficGap[];
  /** In ms. */
  readonly now: number;
  readonly kinds: readonly (keyof typeof SPECS)[];
}

/** Draws a series over time. Dragging over a chart chooses its range for the whole page. */
export function TrafficCharts({ answer: { points, granularity }, gaps, now, kinds }: TrafficChartsProps) {
  const url = useUrlState();
  const lines = useMemo(() => toLines({ points, granularity, gaps, now }), [points, granularity, gaps, now]);
  const marks = useMemo(() => toMarks(gaps), [gaps]);
  const onZoom = (from: string, to: string) => url.set({ ...toZoom(from, to), range: undefined }, 'push');
  return (
    <div>
      <SimpleGrid cols={{ base: 1, md: 2, xl: kinds.length % 3 === 0 ? 3 : 2 }} spacing="lg">
        {kinds.map((kind) => (
          <Chart
            key={kind}
            {...SPECS[kind]}
            series={lines[kind]}
            times={lines.times}
            height={CHART_PX}
            openFrom={lines.openFrom}
            hasGaps={lines.hasGaps}
            marks={marks}
            onZoom={onZoom}
          />
        ))}
      </SimpleGrid>
      <p className={classes.dim}>{text.step(text.steps[granularity])}</p>
    </div>
  );
}

function Chart(props: ComponentProps<typeof SeriesChart>) {
  return (
    <div style={{ minWidth: 0 }}>
      <Title order={2} fz="sm">
        {props.title}
      </Title>
      <SeriesChart {...props} />
    </div>
  );
}
