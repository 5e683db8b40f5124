import type { InventoryOperation } from '@flotilla/contract';
import { Skeleton } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { Notice, RecordPage, State, type UrlTab, UrlTabs } from '../../../ui/index.ts';
import { EventsExplorer } from '../events/events-explorer.tsx';
import { shortNameOf } from '../operation-name.tsx';
import { texts as shared } from '../texts.tsx';
import { AnalyticsTab } from './analytics-tab.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { InsightsTab } from './insights-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { texts } from './texts.tsx';

const SKELETON_PX = 480;

/** Everything that is known of one operation. */
export function EndpointPage() {
  const { endpointId } = useParams({ from: '/p/$project/traffic/endpoints/$endpointId' });
  const project = useProject();
  const query = useApi(
    routes.inventory.get,
    { params: { operation_id: endpointId }, query: { project: project.id } },
    { topics: ['inventory'] },
  );
  return (
    <RecordPage
      words={texts}
      query={query}
      list={{
        name: texts.list,
        link: (label) => (
          <Link to="/p/$project/traffic/endpoints" params={{ project: project.name }}>
            {label}
          </Link>
        ),
      }}
      title={(record) => (record.other ? shared.operation.other : shortNameOf(record))}
      beside={(record) =>
        !record.confirmed && <State word={texts.attack} tone="quiet" shape="ring" why={texts.attackWhy} />
      }
      actions={({ body }) => <EndpointActions operation={body} />}
      whyMissing={texts.whyMissing}
      skeleton={<Skeleton height={SKELETON_PX} />}
    >
      {({ body }) => (
        <>
          {body.other && <Notice tone="quiet" title={texts.other} />}
          <UrlTabs label={texts.tabs} tabs={listTabs(body)} />
        </>
      )}
    </RecordPage>
  );
}

function listTabs(operation: InventoryOperation): readonly UrlTab[] {
  return [
    { id: 'overview', label: texts.overview, content: () => <OverviewTab operation={operation} /> },
    { id: 'events', label: texts.events, content: () => <EventsExplorer operationId={operation.id} /> },
    { id: 'analytics', label: texts.analytics, content: () => <AnalyticsTab operationId={operation.id} /> },
    { id: 'insights', label: texts.insights, content: () => <InsightsTab operationId={operation.id} /> },
  ];
}
