import type { EventTopic, Overview } from '@flotilla/contract';
import { Skeleton } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Loaded, Page } from '../../ui/index.ts';
import { ActiveAlerts } from '../alerts/index.ts';
import { OverviewTraffic } from '../traffic/index.ts';
import { FirstSteps } from './first-steps.tsx';
import classes from './overview.module.css';
import { RecentChanges } from './recent-changes.tsx';
import { RunningCommands } from './running-commands.tsx';
import { StateStrip } from './state-strip.tsx';
import { texts } from './texts.tsx';
import { TrafficSection } from './traffic-section.tsx';
import {
  CertificateTroubles,
  ChangeTroubles,
  ClientTroubles,
  ErrorTroubles,
  ServiceTroubles,
} from './trouble-sections.tsx';
import { findFirstSteps, listTroubles } from './troubles.ts';
import { Verdict } from './verdict.tsx';

const text = texts.overviewPage;

const TOPICS: readonly EventTopic[] = [
  'service',
  'node',
  'client',
  'config_error',
  'command',
  'document',
  'policy',
  'audit',
];

export function OverviewPage() {
  const project = useProject();
  const query = useApi(routes.overview.read, { query: { project: project.id } }, { topics: TOPICS });
  return (
    <Page title={text.title} isWide>
      <Loaded query={query} what={text.what} skeleton={<Waiting />}>
        {({ body }) => <Content overview={body} />}
      </Loaded>
    </Page>
  );
}

function Content({ overview }: { overview: Overview }) {
  const can = useCan();
  const steps = findFirstSteps(overview);
  const troubles = listTroubles(overview);
  const hasTroubles = troubles.length > 0;
  const isNew = steps !== undefined && !steps.hasClient && !steps.hasService;
  return (
    <>
      {overview.services && !steps && <Verdict overview={overview} troubles={troubles} />}
      {steps && <FirstSteps steps={steps} />}
      {!isNew && <StateStrip overview={overview} />}
      <div className={isNew ? classes.column : classes.columns}>
        <div className={classes.column}>
          {can(routes.alert.summary) && <ActiveAlerts />}
          {hasTroubles && (
            <>
              <ServiceTroubles overview={overview} />
              <ClientTroubles overview={overview} />
              <ChangeTroubles overview={overview} />
              <ErrorTroubles overview={overview} />
              <CertificateTroubles overview={overview} />
            </>
          )}
          {!isNew && can(routes.traffic.series) && <OverviewTraffic />}
          {!isNew && can(routes.metrics.shieldSeries) && <TrafficSection />}
        </div>
        <div className={classes.column}>
          {overview.running_commands > 0 && <RunningCommands count={overview.running_commands} />}
          <RecentChanges changes={overview.recent} />
        </div>
      </div>
    </>
  );
}

function Waiting() {
  return (
    <div className={classes.column}>
      <Skeleton height={22} width={280} />
      <Skeleton height={74} />
      <div className={classes.columns}>
        <Skeleton height={260} />
        <Skeleton height={420} />
      </div>
    </div>
  );
}
