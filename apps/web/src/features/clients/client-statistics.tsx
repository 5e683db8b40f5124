import type { HostPoint, HostSeries } from '@flotilla/contract';
import { SegmentedControl, Skeleton, Table } from '@mantine/core';
import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Empty, formatBytes, Loaded, Section, type Series, SeriesChart, Time, useNow } from '../../ui/index.ts';
import classes from './client.module.css';
import { fillSteps } from './gaps.ts';
import { formatPercent } from './gauge.ts';
import { listDisks, listProcesses } from './host-sample.ts';
import type { Client } from './model.ts';
import { findRange, RANGES, startOf } from './range.ts';

const REFRESH_MS = 30_000;

export function ClientStatistics({ client }: { client: Client }) {
  const project = useProject();
  const url = useUrlState();
  const range = findRange(url.get('range'));
  const now = useNow(REFRESH_MS);
  const query = useApi(
    routes.metrics.clientSeries,
    { params: { client_id: client.client_id }, query: { project: project.id, from: startOf(range, now) } },
    { keepPrevious: true },
  );
  return (
    <div className={classes.stack}>
      <div className={classes.bar}>
        <SegmentedControl
          size="xs"
          aria-label="Time range"
          data={RANGES.map(({ value, label }) => ({ value, label }))}
          value={range.value}
          onChange={(value) => url.set({ range: value === RANGES[0].value ? undefined : value }, 'push')}
        />
        {query.data && (
          <span className={classes.dimmed}>
            Averages of {query.data.body.step_s / 60} min; statistics are kept for 24 hours
          </span>
        )}
      </div>
      <Loaded query={query} what="The statistics" skeleton={<ChartSkeletons />}>
        {({ body }) => <Charts series={body} />}
      </Loaded>
      <NewestSample client={client} />
    </div>
  );
}

interface Line {
  readonly label: string;
  readonly color: Series['color'];
  readonly read: (point: HostPoint) => number | null;
}

interface ChartSpec {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  readonly max?: number;
}

const perSecond = (value: number) => `${formatBytes(value)}/s`;

const CHARTS: readonly ChartSpec[] = [
  {
    title: 'CPU',
    format: formatPercent,
    max: 100,
    lines: [{ label: 'Busy', color: '--f-busy', read: (point) => point.cpu_percent }],
  },
  {
    title: 'Load per core',
    format: (value) => value.toFixed(2),
    lines: [{ label: '1 min', color: '--f-busy', read: (point) => point.load1_per_core }],
  },
  {
    title: 'Memory',
    format: formatPercent,
    max: 100,
    lines: [{ label: 'In use', color: '--f-busy', read: (point) => point.memory_percent }],
  },
  {
    title: 'Fullest disk',
    format: formatPercent,
    max: 100,
    lines: [{ label: 'In use', color: '--f-busy', read: (point) => point.disk_used_percent }],
  },
  {
    title: 'Network',
    format: perSecond,
    lines: [
      { label: 'Received', color: '--f-busy', read: (point) => point.rx_bytes_per_s },
      { label: 'Sent', color: '--f-warn', read: (point) => point.tx_bytes_per_s },
    ],
  },
  {
    title: 'CPU of the proxies, 100 % is one core',
    format: formatPercent,
    lines: [
      { label: 'Envoy', color: '--f-busy', read: (point) => point.envoy_cpu_percent },
      { label: 'Filter', color: '--f-warn', read: (point) => point.shield_cpu_percent },
    ],
  },
  {
    title: 'Memory of the proxies',
    format: formatBytes,
    lines: [
      { label: 'Envoy', color: '--f-busy', read: (point) => point.envoy_rss_bytes },
      { label: 'Filter', color: '--f-warn', read: (point) => point.shield_rss_bytes },
    ],
  },
];

function Charts({ series }: { series: HostSeries }) {
  const steps = useMemo(() => fillSteps(series), [series]);
  if (series.points.length === 0)
    return (
      <Empty title="No statistics in this time">
        Agents report every ten seconds while they are connected; the newest minute shows up when it is over.
      </Empty>
    );
  return (
    <div className={classes.charts}>
      {CHARTS.map((spec) => (
        <Chart key={spec.title} spec={spec} steps={steps} />
      ))}
    </div>
  );
}

function Chart({ spec, steps }: { spec: ChartSpec; steps: ReturnType<typeof fillSteps<HostPoint>> }) {
  const { title, lines, format, max } = spec;
  const series = useMemo(
    () => lines.map(({ label, color, read }) => ({ label, color, values: steps.points.map((p) => p && read(p)) })),
    [lines, steps],
  );
  return (
    <div className={classes.chart}>
      <h2>{title}</h2>
      <SeriesChart title={title} times={steps.times} series={series} format={format} {...(max && { max })} />
    </div>
  );
}

function ChartSkeletons() {
  return (
    <div className={classes.charts}>
      {CHARTS.map(({ title }) => (
        <Skeleton key={title} height={212} aria-busy="true" />
      ))}
    </div>
  );
}

function NewestSample({ client }: { client: Client }) {
  const disks = listDisks(client.stats);
  const processes = listProcesses(client.stats);
  const names = new Map(client.services.map(({ id, name }) => [id, name]));
  if (!client.usage) return null;
  return (
    <Section title="Newest report" actions={<Time at={client.usage.at} />}>
      <div className={classes.charts}>
        <Table aria-label="File systems" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>File system</Table.Th>
              <Table.Th ta="right">In use</Table.Th>
              <Table.Th ta="right">Size</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {disks.map(({ mount, used, total }) => (
              <Table.Tr key={mount}>
                <Table.Td className="mono">{mount}</Table.Td>
                <Table.Td ta="right">{total === 0 ? '–' : formatPercent((100 * used) / total)}</Table.Td>
                <Table.Td ta="right">{formatBytes(total)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Table aria-label="Processes" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Process</Table.Th>
              <Table.Th>Service</Table.Th>
              <Table.Th ta="right">CPU</Table.Th>
              <Table.Th ta="right">Memory</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {processes.map(({ pid, kind, serviceId, cpu, rss }) => (
              <Table.Tr key={pid}>
                <Table.Td>
                  {kind === 'shield' ? 'Filter' : 'Envoy'} <span className={classes.dimmed}>{pid}</span>
                </Table.Td>
                <Table.Td className={classes.name}>
                  <bdi>{names.get(serviceId) ?? serviceId}</bdi>
                </Table.Td>
                <Table.Td ta="right">{formatPercent(cpu)}</Table.Td>
                <Table.Td ta="right">{formatBytes(rss)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Section>
  );
}
