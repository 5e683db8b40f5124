import { Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ComponentProps, useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { ServiceLink } from '../../app/links.tsx';
import { useCan, useProject } from '../../app/project.tsx';
import { Empty, Facts, Section, State, Time, toWord } from '../../ui/index.ts';
import { describeService } from '../services/index.ts';
import classes from './client.module.css';
import { ClientFacts } from './client-facts.tsx';
import { ClientLabels } from './client-labels.tsx';
import { texts } from './client-texts.tsx';
import { type Client, explainReason, isWhole } from './model.ts';

const words = texts.clientOverview;

const SERVICES_MAX = 1000;

export function ClientOverview({ client }: { client: Client }) {
  return (
    <div className={classes.stack}>
      <Section title={words.overview.services}>
        <Services client={client} />
      </Section>
      <Section title={words.overview.connection}>
        <Facts
          facts={[
            [words.overview.lastSeen, <Time key="s" at={client.last_seen} />],
            [words.overview.connected, <Moment key="c" at={client.connect_time} reason={client.connect_reason} />],
            [
              words.overview.disconnected,
              <Moment key="d" at={client.disconnect_time} reason={client.disconnect_reason} />,
            ],
            [words.overview.enrolled, <Time key="e" at={client.created_at} />],
          ]}
        />
      </Section>
      {isWhole(client) && <ClientLabels client={client} />}
      {isWhole(client) && <ClientFacts client={client} />}
    </div>
  );
}

function Moment({ at, reason }: { at: string | null; reason: string | null }) {
  const why = explainReason(reason);
  return (
    <>
      <Time at={at} />
      {at && why && <div className={classes.dimmed}>{why}</div>}
    </>
  );
}

function Services({ client }: { client: Client }) {
  const looks = useHealthLooks(client.client_id);
  const project = useProject();
  if (client.services.length === 0)
    return (
      <Empty
        title={words.services.emptyTitle}
        action={
          <Link to="/p/$project/services" params={{ project: project.name }}>
            {words.services.showServices}
          </Link>
        }
      >
        {words.services.empty}
      </Empty>
    );
  return (
    <Table.ScrollContainer minWidth={640} type="native">
      <Table aria-label={words.services.table} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.services.service}</Table.Th>
            <Table.Th>{words.services.here}</Table.Th>
            <Table.Th>{words.services.everywhere}</Table.Th>
            <Table.Th>{words.services.envoy}</Table.Th>
            {isWhole(client) && <Table.Th>{words.services.addresses}</Table.Th>}
            {isWhole(client) && <Table.Th ta="right">{words.services.adminPort}</Table.Th>}
            <Table.Th>{words.services.logs}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {client.services.map((service) => (
            <ServiceRow
              key={service.id}
              {...{ client, service }}
              look={looks.get(service.id) ?? { word: service.status }}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface ServiceRowProps {
  readonly client: Client;
  readonly service: Client['services'][number];
  readonly look: ComponentProps<typeof State>;
}

function ServiceRow({ client, service, look }: ServiceRowProps) {
  const project = useProject();
  return (
    <Table.Tr>
      <Table.Td className={classes.name}>
        <ServiceLink id={service.id} name={service.name} />
      </Table.Td>
      <Table.Td>
        <NodeState service={service} isConnected={client.connected} />
      </Table.Td>
      <Table.Td>
        <State {...look} />
      </Table.Td>
      <Table.Td className="mono">{service.envoy_version || service.version}</Table.Td>
      {isWhole(client) && <Table.Td className="mono">{service.addresses?.join(', ') || '–'}</Table.Td>}
      {isWhole(client) && <Table.Td ta="right">{service.admin_port ?? '–'}</Table.Td>}
      <Table.Td>
        <Link
          to="/p/$project/services/$serviceId"
          params={{ project: project.name, serviceId: service.id }}
          search={{ tab: 'logs', at: client.client_id }}
          aria-label={words.services.logsOf(service.name)}
        >
          {words.services.logs}
        </Link>
      </Table.Td>
    </Table.Tr>
  );
}

/** The health of the services over all their clients, by ID. */
function useHealthLooks(clientId: string): ReadonlyMap<string, ReturnType<typeof describeService>> {
  const project = useProject();
  const can = useCan();
  const { data } = useApi(
    routes.fleet.services,
    { query: { project: project.id, client_id: [clientId], limit: SERVICES_MAX } },
    { topics: ['service', 'node', 'client', 'config_error'], enabled: can(routes.fleet.services) },
  );
  return useMemo(() => new Map(data?.body.items.map((item) => [item.id, describeService(item)])), [data]);
}

function NodeState({ service, isConnected }: { service: Client['services'][number]; isConnected: boolean }) {
  if (!service.deployed) return <State word={words.nodeState.notDeployed} why={words.nodeState.whyNotDeployed} />;
  if (service.phase === null) return <State word={words.nodeState.unknown} why={words.nodeState.whyUnknown} />;
  const word = toWord(service.phase);
  if (isConnected) return <State word={word} why={words.nodeState.asReported} />;
  return (
    <>
      <State word={word} tone="quiet" shape="ring" why={words.nodeState.whyOffline} />{' '}
      <span className={classes.dimmed}>{words.nodeState.whenLastSeen}</span>
    </>
  );
}
