import type { TrafficGap, TrafficLatencyMap } from '@flotilla/contract';
import { Button, Skeleton } from '@mantine/core';
import { useMemo, useState } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { Section } from '../../../ui/index.ts';
import { ValuesTable } from '../../../ui/values-table.tsx';
import { StoreLoaded } from '../store-loaded.tsx';
import type { TimeWindow } from '../time-window.ts';
import classes from './latency.module.css';
import { findGaps, nameClass } from './latency-cells.ts';
import { LatencyGrid, mostOf } from './latency-grid.tsx';
import { texts } from './texts.ts';

interface LatencyMapProps {
  readonly window: TimeWindow;
  /** Filters of the requests, as parameters of the API and of the screen of events. */
  readonly filters: Readonly<Record<string, string>>;
  /** Minutes in which requests were lost. */
  readonly gaps: readonly TrafficGap[];
}

/** How long requests took, over time: two groups of requests that one line of percentiles hides are two bands here. */
export function LatencyMap({ window: { from, to }, filters, gaps }: LatencyMapProps) {
  const project = useProject();
  const query = useApi(
    routes.trafficInsight.latencyMap,
    { query: { project: project.id, from, to, ...filters } as never },
    { keepPrevious: true },
  );
  return (
    <Section title={texts.title}>
      <StoreLoaded isPart query={query} what={texts.what} skeleton={<Skeleton height={200} />}>
        {({ body }) => body.classes.length > 0 && <Figure map={body} filters={filters} gaps={gaps} />}
      </StoreLoaded>
    </Section>
  );
}

interface FigureProps extends Pick<LatencyMapProps, 'filters' | 'gaps'> {
  readonly map: TrafficLatencyMap;
}

function Figure({ map, filters, gaps }: FigureProps) {
  const lost = useMemo(() => findGaps(map, gaps), [map, gaps]);
  const [said, setSaid] = useState<string>();
  const [isTable, setTable] = useState(false);
  return (
    <figure className={classes.figure} aria-label={texts.title}>
      <figcaption className={classes.head}>
        <span className={classes.said}>{said ?? texts.hint}</span>
        <span className={classes.legend} aria-hidden="true">
          {texts.few}
          <span className={classes.scale} />
          {texts.most(Math.round(mostOf(map)))}
        </span>
        <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setTable(!isTable)}>
          {isTable ? texts.chart : texts.table}
        </Button>
      </figcaption>
      {isTable ? (
        <MapTable map={map} lost={lost} />
      ) : (
        <>
          <LatencyGrid map={map} filters={filters} lost={lost} onSay={setSaid} />
          <Times map={map} />
        </>
      )}
    </figure>
  );
}

interface MapTableProps {
  readonly map: TrafficLatencyMap;
  /** Columns that are gaps. */
  readonly lost: ReadonlySet<number>;
}

/** The same numbers: one row for each step. */
function MapTable({ map: { classes: kinds, steps }, lost }: MapTableProps) {
  const series = useMemo(
    () =>
      kinds.map((one, index) => ({
        label: nameClass(one),
        color: '--f-busy' as const,
        values: steps.map(({ requests }, column) => (lost.has(column) ? null : (requests[index] ?? 0))),
      })),
    [kinds, steps, lost],
  );
  return (
    <ValuesTable
      title={texts.title}
      times={steps.map(({ at }) => at)}
      series={series}
      format={(value) => Math.round(value).toLocaleString('en')}
      openFrom={steps.length}
    />
  );
}

const HOURS = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAYS = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const DAY_S = 86_400;
const LABELS = 4;

/** Some times below the map: of its first step, its last one, and between. */
function Times({ map: { steps, step_s: stepS } }: { map: TrafficLatencyMap }) {
  const format = steps.length * stepS > DAY_S ? DAYS : HOURS;
  const shown = Array.from({ length: LABELS }, (_, index) => Math.round((index * (steps.length - 1)) / (LABELS - 1)));
  return (
    <div className={classes.times} aria-hidden="true">
      {[...new Set(shown)].map((index) => (
        <span key={index}>{format.format(new Date(steps[index]?.at ?? 0))}</span>
      ))}
    </div>
  );
}
