import { Skeleton } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { AuditLink } from '../../app/links.tsx';
import { useCan, useProject } from '../../app/project.tsx';
import { Notice, RecordPage, State, Time, type UrlTab, UrlTabs } from '../../ui/index.ts';
import { ApplianceTab, applianceTexts } from '../appliances/index.ts';
import { PairOfClient } from '../ha-pairs/index.ts';
import { breakdownTexts, RequestBreakdown } from '../inventory/index.ts';
import { ForwardingTab, forwardingTexts } from '../log-forwarding/index.ts';
import { ClientCommands } from './client-commands.tsx';
import { ClientLogs } from './client-logs.tsx';
import { ClientOverview } from './client-overview.tsx';
import { ClientStatistics } from './client-statistics.tsx';
import { texts } from './client-texts.tsx';
import { ClientVersions } from './client-versions.tsx';
import { type Client, explainReason, isWhole } from './model.ts';
import { ClientNetwork } from './network/client-network.tsx';
import { RemoveClient } from './remove-client.tsx';
import { RoutingTab } from './routing/routing-tab.tsx';
import { useClient } from './use-client.ts';

const words = texts.clientPage;

export function ClientPage() {
  const { clientId } = useParams({ from: '/p/$project/clients/$clientId' });
  const project = useProject();
  const can = useCan();
  return (
    <RecordPage
      words={words.page}
      query={useClient(clientId)}
      list={{
        name: words.page.clients,
        link: (label) => (
          <Link to="/p/$project/clients" params={{ project: project.name }}>
            {label}
          </Link>
        ),
      }}
      title={({ name }) => name}
      lead={({ client_id }) => <PairOfClient clientId={client_id} />}
      beside={(client) => <State word={client.status} why={<StatusWhy client={client} />} />}
      actions={({ body }) => isWhole(body) && can(routes.client.remove) && <RemoveClient client={body} />}
      whyMissing={
        can(routes.audit.list) ? words.page.whyMissing(<AuditLink about={clientId} />) : words.page.whyMissingOrHidden
      }
      skeleton={<Skeleton height={360} />}
    >
      {({ body }) => (
        <>
          {!body.connected && <OfflineNotice client={body} />}
          <UrlTabs label={words.page.title} tabs={listTabs(body)} />
        </>
      )}
    </RecordPage>
  );
}

function listTabs(client: Client): readonly UrlTab[] {
  const statistics = isWhole(client) && {
    id: 'statistics',
    label: words.page.statistics,
    content: () => <ClientStatistics client={client} />,
  };
  return [
    { id: 'overview', label: words.page.overview, content: () => <ClientOverview client={client} /> },
    ...(statistics ? [statistics] : []),
    {
      id: 'requests',
      label: breakdownTexts.tab,
      content: () => <RequestBreakdown filters={{ client_id: client.client_id }} />,
    },
    { id: 'logs', label: words.page.logs, content: () => <ClientLogs client={client} /> },
    { id: 'forwarding', label: forwardingTexts.tab, content: () => <ForwardingTab client={client} /> },
    { id: 'commands', label: words.page.commands, content: () => <ClientCommands client={client} /> },
    { id: 'routing', label: words.page.routing, content: () => <RoutingTab client={client} /> },
    { id: 'network', label: words.page.network, content: () => <ClientNetwork client={client} /> },
    { id: 'versions', label: words.page.versions, content: () => <ClientVersions client={client} /> },
    { id: 'appliance', label: applianceTexts.tab, content: () => <ApplianceTab client={client} /> },
  ];
}

function StatusWhy({ client }: { client: Client }) {
  if (client.connected)
    return <>{words.statusWhy.connected(<Time at={client.connect_time} />, explained(client.connect_reason))}</>;
  if (client.connect_time === null) return texts.clientColumns.statusWhy.neverConnected;
  return (
    <>
      {words.statusWhy.disconnected(
        <Time at={client.disconnect_time ?? client.last_seen} />,
        explained(client.disconnect_reason),
      )}
    </>
  );
}

function explained(reason: string | null): string {
  const text = explainReason(reason);
  return text ? `: ${text}` : '';
}

function OfflineNotice({ client }: { client: Client }) {
  if (client.connect_time === null)
    return (
      <Notice tone="warn" title={words.offline.neverConnected}>
        {words.offline.neverConnectedText(<Time at={client.created_at} />)}
      </Notice>
    );
  return (
    <Notice
      tone="bad"
      title={words.offline.since(
        <Time at={client.disconnect_time ?? client.last_seen} />,
        explained(client.disconnect_reason),
      )}
    >
      {words.offline.proxiesRunOn}
    </Notice>
  );
}
