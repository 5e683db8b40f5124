import type { ShieldSeries } from '@flotilla/contract';
import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Loaded, Section, useNow } from '../../ui/index.ts';
import { RANGES, startOf } from '../clients/index.ts';
import { TrafficChart, Unplaced } from '../policies/index.ts';
import classes from './overview.module.css';
import { texts } from './texts.tsx';
import { sumTraffic } from './traffic.ts';

const text = texts.trafficSection;

const REFRESH_MS = 15_000;
const STEP_S = 60;
const CHART_PX = 180;

/** Shows verdicts of the filters in the last hour, by minute. */
export function TrafficSection() {
  const project = useProject();
  const now = useNow(REFRESH_MS);
  const query = useApi(
    routes.metrics.shieldSeries,
    { query: { project: project.id, from: startOf(RANGES[0], now), step_s: STEP_S } },
    { keepPrevious: true, refetchEveryMs: () => REFRESH_MS },
  );
  return (
    <Section
      title={text.section.title}
      actions={
        <Link to="/p/$project/policies" params={{ project: project.name }} className={classes.dimmed}>
          {text.section.policies}
        </Link>
      }
    >
      <Loaded query={query} what={text.section.what} skeleton={<Skeleton height={CHART_PX + 56} />}>
        {({ body }) => <HourOfTraffic series={body} />}
      </Loaded>
    </Section>
  );
}

function HourOfTraffic({ series }: { series: ShieldSeries }) {
  const totals = sumTraffic(series);
  if (totals.allowed + totals.blocked + totals.detected + totals.errors === 0)
    return (
      <>
        <p className={classes.dimmed}>{text.chart.none}</p>
        <Unplaced unplaced={series.unplaced} />
      </>
    );
  return (
    <>
      <p className={classes.totals}>
        {text.chart.totals(
          <EventsLink verdict="blocked">
            {text.chart.blockedCount(<strong>{totals.blocked.toLocaleString()}</strong>)}
          </EventsLink>,
          <EventsLink verdict="detected">
            {text.chart.detectedCount(<strong>{totals.detected.toLocaleString()}</strong>)}
          </EventsLink>,
          totals.allowed.toLocaleString(),
          totals.errors > 0 && text.chart.engineFailed(<strong>{totals.errors.toLocaleString()}</strong>),
        )}
      </p>
      <TrafficChart series={series} title={text.section.decided} height={CHART_PX} />
      <Unplaced unplaced={series.unplaced} />
    </>
  );
}

/** Links to the requests with this verdict. */
function EventsLink({ verdict, children }: { verdict: string; children: ReactNode }) {
  const project = useProject();
  return (
    <Link to="/p/$project/shield/events" params={{ project: project.name }} search={{ verdict, range: '1h' }}>
      {children}
    </Link>
  );
}
