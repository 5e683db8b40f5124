import type { ReactNode } from 'react';
import { Facts, formatBytes, Section, State } from '../../ui/index.ts';
import classes from './client.module.css';
import { texts } from './client-texts.tsx';
import { CloudNetwork } from './cloud-network.tsx';
import { CPU_LIMITS, MEMORY_LIMITS, toGauge } from './gauge.ts';
import { Meter } from './meter.tsx';
import type { WholeClient } from './model.ts';

const words = texts.clientOverview;
const text = texts.clientFacts;

/** The facts of the host, with where each comes from. For owners and admins. */
export function ClientFacts({ client }: { client: WholeClient }) {
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
            [text.hypervisor, <Sourced key="v" fact={client.hypervisor} />],
            ['BGP', <Bgp key="b" client={client} />],
          ]}
        />
      </Section>
      <Section title={text.cloud}>
        <Cloud cloud={client.cloud} />
      </Section>
      <CloudNetwork client={client} />
      <Section title={text.capabilities}>
        <Capabilities client={client} />
      </Section>
      <Section title={words.overview.agent}>
        <Facts
          facts={[
            [words.overview.clientId, mono(client.client_id)],
            [words.overview.agentVersion, mono(client.version)],
            [words.overview.runtimeFolder, mono(client.runtime_dir)],
            [words.overview.dataFolder, mono(client.data_dir)],
            ...Object.entries(client.metadata).map(([key, value]) => [key, <bdi key={key}>{value}</bdi>] as const),
          ]}
        />
      </Section>
    </>
  );
}

function Cloud({ cloud }: Pick<WholeClient, 'cloud'>) {
  const { detection, provider, server_id: serverId, project, reason } = cloud;
  if (detection !== 'found') {
    return (
      <Facts
        facts={[[words.overview.provider, <Value key="p" value={text.detections[detection]} source={reason} />]]}
      />
    );
  }
  return (
    <Facts
      facts={[
        [words.overview.provider, <Sourced key="p" fact={provider} />],
        [text.serverId, <Sourced key="s" fact={serverId} />],
        [text.project, <Sourced key="c" fact={project} />],
      ]}
    />
  );
}

function Bgp({ client: { bgp, bgp_source: source } }: { client: WholeClient }) {
  const word = bgp === null ? text.unknown : bgp ? text.running : text.notRunning;
  return <Value value={word} source={source} />;
}

function Capabilities({ client: { capabilities } }: { client: WholeClient }) {
  if (capabilities === null) return <span className={classes.dimmed}>{text.noCapabilities}</span>;
  return (
    <Facts
      facts={capabilities.map(({ name, available: isAvailable, detail }) => [
        (text.names as Readonly<Record<string, string>>)[name] ?? name,
        <div key={name}>
          <State
            word={isAvailable ? text.available : text.missing}
            tone={isAvailable ? 'good' : 'warn'}
            shape={isAvailable ? 'full' : 'triangle'}
          />
          {detail && <Source text={detail} />}
        </div>,
      ])}
    />
  );
}

function Sourced({ fact }: { fact: { readonly value: string; readonly source: string } | null }) {
  if (fact === null) return <span className={classes.dimmed}>{text.unknown}</span>;
  return <Value value={fact.value} source={fact.source} />;
}

function Value({ value, source }: { value: string; source: string | null }) {
  return (
    <>
      <bdi className={classes.anywhere}>{value}</bdi>
      {source && <Source text={source} />}
    </>
  );
}

function Source({ text: source }: { text: string }) {
  return (
    <div className={classes.dimmed}>
      <bdi>{source}</bdi>
    </div>
  );
}

function mono(value: string): ReactNode {
  return value && <span className="mono">{value}</span>;
}

function usage(client: WholeClient, field: 'cpu_percent' | 'memory_percent'): ReactNode {
  const { usage: measured, connected: isConnected } = client;
  const limits = field === 'cpu_percent' ? CPU_LIMITS : MEMORY_LIMITS;
  const at = measured?.at ?? null;
  return <Meter gauge={toGauge({ percent: measured?.[field] ?? null, at, isConnected }, limits, Date.now())} at={at} />;
}
