import { Button, Skeleton } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { routes } from '../../api/index.ts';
import { AuditLink } from '../../app/links.tsx';
import { useCan, useProject } from '../../app/project.tsx';
import { RecordPage, State, type UrlTab, UrlTabs } from '../../ui/index.ts';
import { ServiceTraffic } from '../traffic/index.ts';
import { ErrorsTab } from './errors/errors-tab.tsx';
import { NodesTab } from './nodes/nodes-tab.tsx';
import { RunningCommands } from './operations/running-commands.tsx';
import { ServiceActions } from './operations/service-actions.tsx';
import { OverviewTab } from './overview/overview-tab.tsx';
import { SavedChange } from './saved-change.tsx';
import { describeService } from './status.ts';
import { texts } from './texts.tsx';
import { isWhole, type ServiceDetail } from './types.ts';
import { useServiceDetail } from './use-service.ts';

const text = texts.servicePage;

/** Large or rarely opened tabs are chunks of their own. */
const DocumentTab = lazy(async () => ({ default: (await import('./document/document-tab.tsx')).DocumentTab }));
const ConfigurationTab = lazy(async () => ({
  default: (await import('./configuration/configuration-tab.tsx')).ConfigurationTab,
}));
const GraphTab = lazy(async () => ({ default: (await import('./graph/graph-tab.tsx')).GraphTab }));
const EnvoyTab = lazy(async () => ({ default: (await import('./envoy/envoy-tab.tsx')).EnvoyTab }));
const LogsTab = lazy(async () => ({ default: (await import('./logs/logs-tab.tsx')).LogsTab }));

export function ServicePage() {
  const { serviceId = '' } = useParams({ strict: false });
  const project = useProject();
  const can = useCan();
  return (
    <RecordPage
      words={text.page}
      query={useServiceDetail(serviceId)}
      list={{
        name: text.page.services,
        link: (label) => (
          <Link to="/p/$project/services" params={{ project: project.name }}>
            {label}
          </Link>
        ),
      }}
      title={({ service }) => service.name}
      beside={(detail) => <States detail={detail} />}
      actions={({ body }) => <PageActions detail={body} />}
      whyMissing={
        can(routes.audit.list) ? text.page.whyMissing(<AuditLink about={serviceId} />) : text.page.whyMissingOrHidden
      }
      keepsDeleted
      skeleton={12}
      above={<RunningCommands serviceId={serviceId} />}
    >
      {({ body }) => (
        <>
          <SavedChange detail={body} />
          <UrlTabs label={text.page.tabs} tabs={listTabs(body, can(routes.traffic.series))} />
        </>
      )}
    </RecordPage>
  );
}

function States({ detail: { service, errors } }: { detail: ServiceDetail }) {
  return (
    <>
      <State {...describeService(service)} />
      {errors.length > 0 && (
        <State word={text.page.openErrors(errors.length)} tone="bad" shape="triangle" why={text.page.whyOpenErrors} />
      )}
    </>
  );
}

function PageActions({ detail }: { detail: ServiceDetail }) {
  const project = useProject();
  const can = useCan();
  const { id: serviceId, policies } = detail.service;
  return (
    <>
      {can(routes.shieldTrial.try) && policies.length > 0 && (
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link
              to="/p/$project/shield/try"
              params={{ project: project.name }}
              search={{ service: serviceId }}
              {...props}
            />
          )}
        >
          {text.page.tryRequest}
        </Button>
      )}
      {can(routes.service.patch) && (
        <Button
          variant="default"
          component={Link}
          {...({
            to: '/p/$project/services/$serviceId/edit',
            params: { project: project.name, serviceId },
          } as object)}
        >
          {text.page.edit}
        </Button>
      )}
      <ServiceActions detail={detail} />
    </>
  );
}

function fetched(tab: ReactNode) {
  return <Suspense fallback={<Skeleton height={320} aria-busy="true" />}>{tab}</Suspense>;
}

function listTabs(detail: ServiceDetail, mayReadTraffic: boolean): UrlTab[] {
  const active = detail.errors.length;
  const { service } = detail;
  return [
    { id: 'overview', label: text.tabs.overview, content: () => <OverviewTab detail={detail} /> },
    ...(mayReadTraffic
      ? [
          {
            id: 'traffic',
            label: text.tabs.traffic,
            content: () => <ServiceTraffic service={service} nodes={detail.nodes} />,
          },
        ]
      : []),
    { id: 'nodes', label: text.tabs.nodes(detail.nodes.length), content: () => <NodesTab detail={detail} /> },
    {
      id: 'errors',
      label: active > 0 ? text.tabs.errorsOf(active) : text.tabs.errors,
      content: () => <ErrorsTab service={service} />,
    },
    ...(isWhole(service)
      ? [{ id: 'document', label: text.tabs.document, content: () => fetched(<DocumentTab service={service} />) }]
      : []),
    {
      id: 'configuration',
      label: text.tabs.configuration,
      content: () => fetched(<ConfigurationTab detail={detail} />),
    },
    { id: 'graph', label: text.tabs.graph, content: () => fetched(<GraphTab detail={detail} />) },
    { id: 'envoy', label: text.tabs.envoy, content: () => fetched(<EnvoyTab detail={detail} />) },
    { id: 'logs', label: text.tabs.logs, content: () => fetched(<LogsTab detail={detail} />) },
  ];
}
