import { Button, Skeleton } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Empty, Loaded, Notice, Page, State, Time, UrlTabs } from '../../ui/index.ts';
import { ClientCommands } from './client-commands.tsx';
import { ClientOverview } from './client-overview.tsx';
import { ClientStatistics } from './client-statistics.tsx';
import { ClientVersions } from './client-versions.tsx';
import { type Client, explainReason } from './model.ts';
import { RemoveClient } from './remove-client.tsx';

export function ClientPage() {
  const { clientId } = useParams({ from: '/p/$project/clients/$clientId' });
  const project = useProject();
  const can = useCan();
  const [isRemoving, setRemoving] = useState(false);
  const query = useApi(
    routes.client.read,
    { params: { client_id: clientId }, query: { project: project.id } },
    { topics: ['client', 'service', 'node'] },
  );
  const client = query.data?.body;
  const trail = [
    <Link key="clients" to="/p/$project/clients" params={{ project: project.name }}>
      Clients
    </Link>,
  ];
  if (query.error instanceof ApiError && (query.error.status === 404 || query.error.code === 'request.invalid'))
    return (
      <Page title="No such client" trail={trail}>
        <Empty
          title="There is no such client in this project"
          action={
            <Link to="/p/$project/clients" params={{ project: project.name }}>
              Show all clients
            </Link>
          }
        >
          It may have been removed. The audit log says by whom.
        </Empty>
      </Page>
    );
  return (
    <Page
      title={client?.name ?? 'Client'}
      trail={trail}
      beside={client && <State word={client.status} why={<StatusWhy client={client} />} />}
      actions={
        client &&
        can(routes.client.remove) && (
          <Button variant="default" onClick={() => setRemoving(true)}>
            Remove
          </Button>
        )
      }
    >
      <Loaded query={query} what="The client" skeleton={<Skeleton height={360} />}>
        {({ body }) => (
          <>
            {!body.connected && <OfflineNotice client={body} />}
            <UrlTabs
              label="Client"
              tabs={[
                { id: 'overview', label: 'Overview', content: () => <ClientOverview client={body} /> },
                { id: 'statistics', label: 'Statistics', content: () => <ClientStatistics client={body} /> },
                { id: 'commands', label: 'Commands', content: () => <ClientCommands client={body} /> },
                { id: 'versions', label: 'Versions', content: () => <ClientVersions client={body} /> },
              ]}
            />
            <RemoveClient client={body} opened={isRemoving} onClose={() => setRemoving(false)} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function StatusWhy({ client }: { client: Client }) {
  if (client.connected)
    return (
      <>
        Connected <Time at={client.connect_time} />
        {explained(client.connect_reason)}
      </>
    );
  if (client.connect_time === null) return 'It has never connected';
  return (
    <>
      Disconnected <Time at={client.disconnect_time ?? client.last_seen} />
      {explained(client.disconnect_reason)}
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
      <Notice tone="warn" title="This client has never connected">
        It was enrolled <Time at={client.created_at} />. Check on the host that its agent runs and reaches the
        controller.
      </Notice>
    );
  return (
    <Notice
      tone="bad"
      title={
        <>
          Offline since <Time at={client.disconnect_time ?? client.last_seen} />
          {explained(client.disconnect_reason)}
        </>
      }
    >
      Its proxies run on with what they have; changes reach them when it is back. Check on the host that the agent runs
      and reaches the controller.
    </Notice>
  );
}
