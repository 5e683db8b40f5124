import { Button, Skeleton } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Empty, Loaded, Notice, Page, State, Time, UrlTabs } from '../../ui/index.ts';
import { ClientCommands } from './client-commands.tsx';
import { ClientOverview } from './client-overview.tsx';
import { ClientStatistics } from './client-statistics.tsx';
import { ClientVersions } from './client-versions.tsx';
import { type Client, explainReason } from './model.ts';
import { RemoveClient } from './remove-client.tsx';

const words = texts.clients.clientPage;

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
      {words.clientPage.link}
    </Link>,
  ];
  if (query.error instanceof ApiError && (query.error.status === 404 || query.error.code === 'request.invalid'))
    return (
      <Page title={words.clientPage.title} trail={trail}>
        <Empty
          title={words.clientPage.nothingHere}
          action={
            <Link to="/p/$project/clients" params={{ project: project.name }}>
              {words.clientPage.linkShowAll}
            </Link>
          }
        >
          {words.clientPage.empty}
        </Empty>
      </Page>
    );
  return (
    <Page
      title={client?.name ?? words.clientPage.titleClient}
      trail={trail}
      beside={client && <State word={client.status} why={<StatusWhy client={client} />} />}
      actions={
        client &&
        can(routes.client.remove) && (
          <Button variant="default" onClick={() => setRemoving(true)}>
            {words.clientPage.button}
          </Button>
        )
      }
    >
      <Loaded query={query} what={words.clientPage.what} skeleton={<Skeleton height={360} />}>
        {({ body }) => (
          <>
            {!body.connected && <OfflineNotice client={body} />}
            <UrlTabs
              label={words.clientPage.titleClient}
              tabs={[
                {
                  id: 'overview',
                  label: words.clientPage.labelOverview,
                  content: () => <ClientOverview client={body} />,
                },
                {
                  id: 'statistics',
                  label: words.clientPage.labelStatistics,
                  content: () => <ClientStatistics client={body} />,
                },
                {
                  id: 'commands',
                  label: words.clientPage.labelCommands,
                  content: () => <ClientCommands client={body} />,
                },
                {
                  id: 'versions',
                  label: words.clientPage.labelVersions,
                  content: () => <ClientVersions client={body} />,
                },
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
    return <>{words.statusWhy.text(<Time at={client.connect_time} />, explained(client.connect_reason))}</>;
  if (client.connect_time === null) return words.statusWhy.textNeverConnected;
  return (
    <>
      {words.statusWhy.textDisconnected(
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
      <Notice tone="warn" title={words.offlineNotice.title}>
        {words.offlineNotice.notice(<Time at={client.created_at} />)}
      </Notice>
    );
  return (
    <Notice
      tone="bad"
      title={words.offlineNotice.text(
        <Time at={client.disconnect_time ?? client.last_seen} />,
        explained(client.disconnect_reason),
      )}
    >
      {words.offlineNotice.noticeProxiesRun}
    </Notice>
  );
}
