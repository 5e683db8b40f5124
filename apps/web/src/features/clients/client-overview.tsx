import { Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { ServiceLink } from '../../app/links.tsx';
import { useCan, useProject } from '../../app/project.tsx';
import { Empty, Facts, formatBytes, Section, State, Time, toWord } from '../../ui/index.ts';
import { describeService } from '../services/index.ts';
import classes from './client.module.css';
import { texts } from './client-texts.tsx';
import { CPU_LIMITS, MEMORY_LIMITS, toGauge } from './gauge.ts';
import { Meter } from './meter.tsx';
import { type Client, explainReason, isWhole, type WholeClient } from './model.ts';

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
      {isWhole(client) && <HostFacts client={client} />}
    </div>
  );
}

/** For owners and admins. */
function HostFacts({ client }: { client: WholeClient }) {
  return (
    <>
      <Section title={words.overview.host}>
        <Facts
          facts={[
            [words.overview.cpuLoad, usage(client, 'cpu_percent')],
            [words.overview.memoryInUse, usage(client, 'memory_percent')],
            [words.overview.cores, client.cores],
            [words.overview.memory, formatBytes(client.memory_bytes)],
            [words.overview.hostname, <bdi key="h">{client.hostname}</bdi>],
            ['OS', client.os],
            [words.overview.arch, client.arch],
            [words.overview.kernel, client.kernel],
            [words.overview.provider, client.provider],
            ['BGP', client.bgp ? words.overview.enabled : words.overview.disabled],
          ]}
        />
      </Section>
      <Section title={words.overview.agent}>
        <Facts
          facts={[
            [words.overview.clientId, mono(client.client_id)],
            [words.overview.agentVersion, mono(client.version)],
            [words.overview.runtimeFolder, mono(client.runtime_dir)],
            [words.overview.dataFolder, mono(client.data_dir)],
          ]}
        />
      </Section>
      <Section title={words.overview.metadata}>
        <Metadata entries={Object.entries(client.metadata)} />
      </Section>
    </>
  );
}

function mono(text: string): ReactNode {
  return text && <span className="mono">{text}</span>;
}

function usage(client: WholeClient, field: 'cpu_percent' | 'memory_percent'): ReactNode {
  const { usage: measured, connected: isConnected } = client;
  const limits = field === 'cpu_percent' ? CPU_LIMITS : MEMORY_LIMITS;
  const at = measured?.at ?? null;
  return <Meter gauge={toGauge({ percent: measured?.[field] ?? null, at, isConnected }, limits, Date.now())} at={at} />;
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

function Metadata({ entries }: { entries: readonly (readonly [string, string])[] }) {
  if (entries.length === 0) return <span className={classes.dimmed}>{words.metadata.none}</span>;
  return <Facts facts={entries.map(([key, value]) => [key, <bdi key={key}>{value}</bdi>] as const)} />;
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
