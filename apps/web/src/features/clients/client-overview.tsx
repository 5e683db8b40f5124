import { Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Empty, Facts, formatBytes, Section, State, Time, toWord } from '../../ui/index.ts';
import classes from './client.module.css';
import { CPU_LIMITS, MEMORY_LIMITS, toGauge } from './gauge.ts';
import { Meter } from './meter.tsx';
import { type Client, explainReason } from './model.ts';

const words = texts.clients.clientOverview;

export function ClientOverview({ client }: { client: Client }) {
  return (
    <div className={classes.stack}>
      <Section title={words.clientOverview.title}>
        <Services client={client} />
      </Section>
      <Section title={words.clientOverview.titleConnection}>
        <Facts
          facts={[
            [words.clientOverview.factLastSeen, <Time key="s" at={client.last_seen} />],
            [
              words.clientOverview.factConnected,
              <Moment key="c" at={client.connect_time} reason={client.connect_reason} />,
            ],
            [
              words.clientOverview.factDisconnected,
              <Moment key="d" at={client.disconnect_time} reason={client.disconnect_reason} />,
            ],
            [words.clientOverview.factEnrolled, <Time key="e" at={client.created_at} />],
          ]}
        />
      </Section>
      <Section title={words.clientOverview.titleHost}>
        <Facts
          facts={[
            [words.clientOverview.factCpuLoad, usage(client, 'cpu_percent')],
            [words.clientOverview.factMemoryUse, usage(client, 'memory_percent')],
            [words.clientOverview.factCores, client.cores],
            [words.clientOverview.factMemory, formatBytes(client.memory_bytes)],
            [words.clientOverview.factHostname, <bdi key="h">{client.hostname}</bdi>],
            ['OS', client.os],
            [words.clientOverview.factArchitecture, client.arch],
            [words.clientOverview.factKernel, client.kernel],
            [words.clientOverview.factCloudProvider, client.provider],
            ['BGP', client.bgp ? words.clientOverview.factsEnabled : words.clientOverview.factsDisabled],
          ]}
        />
      </Section>
      <Section title={words.clientOverview.titleAgent}>
        <Facts
          facts={[
            [words.clientOverview.factClientId, mono(client.client_id)],
            [words.clientOverview.factAgentVersion, mono(client.version)],
            [words.clientOverview.factRuntimeFolder, mono(client.runtime_dir)],
            [words.clientOverview.factDataFolder, mono(client.data_dir)],
          ]}
        />
      </Section>
      <Section title={words.clientOverview.titleMetadata}>
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
  if (entries.length === 0) return <span className={classes.dimmed}>{words.metadata.text}</span>;
  return <Facts facts={entries.map(([key, value]) => [key, <bdi key={key}>{value}</bdi>] as const)} />;
}

function Services({ client }: { client: Client }) {
  const project = useProject();
  if (client.services.length === 0)
    return (
      <Empty
        title={words.services.title}
        action={
          <Link to="/p/$project/services" params={{ project: project.name }}>
            {words.services.link}
          </Link>
        }
      >
        {words.services.empty}
      </Empty>
    );
  return (
    <Table.ScrollContainer minWidth={640} type="native">
      <Table aria-label={words.services.ariaLabel} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.services.th}</Table.Th>
            <Table.Th>{words.services.thHere}</Table.Th>
            <Table.Th>{words.services.thEverywhere}</Table.Th>
            <Table.Th>{words.services.thEnvoy}</Table.Th>
            <Table.Th>{words.services.thAddresses}</Table.Th>
            <Table.Th ta="right">{words.services.thAdminPort}</Table.Th>
            <Table.Th>{words.services.thLogs}</Table.Th>
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
                  aria-label={words.services.ariaLabelLogs(service.name)}
                >
                  {words.services.thLogs}
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
  if (!service.deployed) return <State word={words.nodeState.word} why={words.nodeState.why} />;
  if (service.phase === null) return <State word={words.nodeState.wordUnknown} why={words.nodeState.whyAgentNot} />;
  const word = toWord(service.phase);
  if (isConnected) return <State word={word} why={words.nodeState.whyAgentReports} />;
  return (
    <>
      <State word={word} tone="quiet" shape="ring" why={words.nodeState.whyNobodyKnows} />{' '}
      <span className={classes.dimmed}>{words.nodeState.text}</span>
    </>
  );
}
