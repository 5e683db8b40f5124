import type { TrafficSeries } from '@flotilla/contract';
import { SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { type ChartMark, Empty, Loaded, SeriesChart, useNow } from '../../ui/index.ts';
import { ChangeList } from './change-list.tsx';
import { type ChartSpec, DOWNSTREAM_CHARTS, type Steps, toLines, toSteps, UPSTREAM_CHARTS } from './chart-lines.ts';
import { texts } from './texts.tsx';
import { readWindow, toEarlier, toZoom } from './time-window.ts';
import { useChanges } from './use-changes.ts';
import { type Subject, useTrafficSeries } from './use-traffic.ts';
import { WindowBar } from './window-bar.tsx';

const text = texts.charts;

const REFRESH_MS = 10_000;
const CHART_PX = 180;
const SKELETON_PX = CHART_PX + 52;

interface TrafficChartsProps {
  readonly subject: Subject;
  /** Shown if nothing was reported: how to send a request. */
  readonly hint?: ReactNode;
}

/** Draws the traffic of the subject in the time range of the URL. */
export function TrafficCharts({ subject, hint }: TrafficChartsProps) {
  const url = useUrlState();
  const asked = readWindow(url.get, useNow(REFRESH_MS));
  const { comparison } = asked;
  const query = useTrafficSeries(subject, asked);
  const compared = useTrafficSeries(subject, toEarlier(asked, comparison ?? 'previous'), comparison !== undefined);
  const changes = useChanges(asked);
  const marks = useMemo(
    () => changes.map(({ at, actor, words }) => ({ at, label: texts.marks.label(actor, words) })),
    [changes],
  );
  const specs = subject.scope === 'cluster' ? UPSTREAM_CHARTS : DOWNSTREAM_CHARTS;
  const onZoom = (from: string, to: string) => url.set({ ...toZoom(from, to), range: undefined }, 'push');
  return (
    <Stack gap="md">
      <WindowBar asked={asked} step={query.data && formatStep(query.data.body.step_s)} />
      <Loaded query={query} what={text.what} skeleton={<Skeletons specs={specs} />}>
        {({ body }) =>
          body.points.length === 0 ? (
            <Empty title={text.emptyTitle} action={hint}>
              {subject.name === undefined ? text.empty : text.emptyOf(subject.name)}
            </Empty>
          ) : (
            <Charts
              series={body}
              earlier={comparison === undefined ? undefined : compared.data?.body}
              specs={specs}
              marks={marks}
              onZoom={onZoom}
            />
          )
        }
      </Loaded>
      <ChangeList changes={changes} />
    </Stack>
  );
}

function formatStep(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`;
}

interface ChartsProps {
  readonly series: TrafficSeries;
  readonly earlier: TrafficSeries | undefined;
  readonly specs: readonly ChartSpec[];
  readonly marks: readonly ChartMark[];
  readonly onZoom: (from: string, to: string) => void;
}

function Charts({ series, earlier, specs, ...rest }: ChartsProps) {
  const steps = useMemo(() => toSteps(series), [series]);
  const before = useMemo(() => earlier && toSteps(earlier), [earlier]);
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        {specs.map((spec) => (
          <Chart key={spec.title} spec={spec} steps={steps} earlier={before} {...rest} />
        ))}
      </SimpleGrid>
      {series.has_other && (
        <Text size="sm" c="dimmed">
          {text.hasOther}
        </Text>
      )}
    </>
  );
}

interface ChartProps extends Pick<ChartsProps, 'marks' | 'onZoom'> {
  readonly spec: ChartSpec;
  readonly steps: Steps;
  readonly earlier: Steps | undefined;
}

function Chart({ spec, steps, earlier, marks, onZoom }: ChartProps) {
  const series = useMemo(() => toLines(spec, steps, earlier), [spec, steps, earlier]);
  return (
    <div style={{ minWidth: 0 }}>
      <Title order={3} fz="sm">
        {spec.title}
      </Title>
      <SeriesChart
        title={spec.title}
        times={steps.times}
        series={series}
        format={spec.format}
        leastTop={spec.leastTop}
        height={CHART_PX}
        openFrom={steps.openFrom}
        hasGaps={steps.hasGaps}
        marks={marks}
        onZoom={onZoom}
      />
    </div>
  );
}

function Skeletons({ specs }: { specs: readonly ChartSpec[] }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      {specs.map(({ title }) => (
        <Skeleton key={title} height={SKELETON_PX} aria-busy="true" />
      ))}
    </SimpleGrid>
  );
}
