import { Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { Empty, Facts, formatBytes, Section, State, Time, toWord } from '../../ui/index.ts';
import classes from './client.module.css';
import { CPU_LIMITS, MEMORY_LIMITS, toGauge } from './gauge.ts';
import { Meter } from './meter.tsx';
import { type Client, explainReason } from './model.ts';

export function ClientOverview({ client }: { client: Client }) {
  return (
    <div className={classes.stack}>
      <Section title="Services on this client">
        <Services client={client} />
      </Section>
      <Section title="Connection">
        <Facts
          facts={[
            ['Last seen', <Time key="s" at={client.last_seen} />],
            ['Connected', <Moment key="c" at={client.connect_time} reason={client.connect_reason} />],
            ['Disconnected', <Moment key="d" at={client.disconnect_time} reason={client.disconnect_reason} />],
            ['Enrolled', <Time key="e" at={client.created_at} />],
          ]}
        />
      </Section>
      <Section title="Host">
        <Facts
          facts={[
            ['CPU, load per core', usage(client, 'cpu_percent')],
            ['Memory in use', usage(client, 'memory_percent')],
            ['Cores', client.cores],
            ['Memory', formatBytes(client.memory_bytes)],
            ['Hostname', <bdi key="h">{client.hostname}</bdi>],
            ['OS', client.os],
            ['Architecture', client.arch],
            ['Kernel', client.kernel],
            ['Cloud provider', client.provider],
            ['BGP', client.bgp ? 'Enabled' : 'Disabled'],
          ]}
        />
      </Section>
      <Section title="Agent">
        <Facts
          facts={[
            ['Client id', mono(client.client_id)],
            ['Agent version', mono(client.version)],
            ['Runtime folder', mono(client.runtime_dir)],
            ['Data folder', mono(client.data_dir)],
          ]}
        />
      </Section>
      <Section title="Metadata">
        <Metadata entries={Object.entries(client.metadata)} />
      </Section>
    </div>
  );
}

function mono(text: string): ReactNode {
  return text && <span className="mono">{text}</span>;
}

function usage(client: Client, field: 'cpu_percent' | 'memory_percent'): ReactNode {
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
  if (entries.length === 0) return <span className={classes.dimmed}>The agent tells none.</span>;
  return <Facts facts={entries.map(([key, value]) => [key, <bdi key={key}>{value}</bdi>] as const)} />;
}

function Services({ client }: { client: Client }) {
  const project = useProject();
  if (client.services.length === 0)
    return (
      <Empty
        title="No service on this client"
        action={
          <Link to="/p/$project/services" params={{ project: project.name }}>
            Show the services
          </Link>
        }
      >
        A service that names this client among its own can be deployed here.
      </Empty>
    );
  return (
    <Table.ScrollContainer minWidth={640} type="native">
      <Table aria-label="Services on this client" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Service</Table.Th>
            <Table.Th>Here</Table.Th>
            <Table.Th>Everywhere</Table.Th>
            <Table.Th>Envoy</Table.Th>
            <Table.Th>Addresses</Table.Th>
            <Table.Th ta="right">Admin port</Table.Th>
            <Table.Th>Logs</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {client.services.map((service) => (
            <Table.Tr key={service.id}>
              <Table.Td className={classes.name}>
                <ServiceLink id={service.id} name={service.name} />
              </Table.Td>
              <Table.Td>
                <NodeState service={service} isConnected={client.connected} />
              </Table.Td>
              <Table.Td>
                <State word={service.status} />
              </Table.Td>
              <Table.Td className="mono">{service.envoy_version || service.version}</Table.Td>
              <Table.Td className="mono">{service.addresses.join(', ') || '–'}</Table.Td>
              <Table.Td ta="right">{service.admin_port ?? '–'}</Table.Td>
              <Table.Td>
                <Link
                  to="/p/$project/services/$serviceId"
                  params={{ project: project.name, serviceId: service.id }}
                  search={{ tab: 'logs', at: client.client_id }}
                  aria-label={`Logs of ${service.name}`}
                >
                  Logs
                </Link>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function NodeState({ service, isConnected }: { service: Client['services'][number]; isConnected: boolean }) {
  if (!service.deployed) return <State word="Not Deployed" why="Listed, not deployed to this client" />;
  if (service.phase === null) return <State word="Unknown" why="The agent has not reported it yet" />;
  const word = toWord(service.phase);
  if (isConnected) return <State word={word} why="As the agent reports it" />;
  return (
    <>
      <State word={word} tone="quiet" shape="ring" why="Nobody knows now: the client is offline" />{' '}
      <span className={classes.dimmed}>when last seen</span>
    </>
  );
}
