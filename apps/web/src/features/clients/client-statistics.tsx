import type { HostPoint, HostSeries } from '@flotilla/contract';
import { SegmentedControl, Skeleton, Table } from '@mantine/core';
import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { fillSteps } from '../../ui/fill-steps.ts';
import { Empty, formatBytes, Loaded, Section, type Series, SeriesChart, Time, useNow } from '../../ui/index.ts';
import classes from './client.module.css';
import { ClientBacklog } from './client-backlog.tsx';
import { texts } from './client-texts.tsx';
import { formatPercent } from './gauge.ts';
import { listDisks, listProcesses } from './host-sample.ts';
import type { WholeClient } from './model.ts';
import { findRange, RANGES, startOf } from './range.ts';

const text = texts.clientStatistics;

const REFRESH_MS = 30_000;

export function ClientStatistics({ client }: { client: WholeClient }) {
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
          aria-label={text.statistics.range}
          data={RANGES.map(({ value, label }) => ({ value, label }))}
          value={range.value}
          onChange={(value) => url.set({ range: value === RANGES[0].value ? undefined : value }, 'push')}
        />
        {query.data && <span className={classes.dimmed}>{text.statistics.averages(query.data.body.step_s / 60)}</span>}
      </div>
      <Loaded query={query} what={text.statistics.what} skeleton={<ChartSkeletons />}>
        {({ body }) => <Charts series={body} />}
      </Loaded>
      <NewestSample client={client} />
      <ClientBacklog client={client} />
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
  readonly isBytes?: boolean;
}

const perSecond = (value: number) => `${formatBytes(value)}/s`;

const CHARTS: readonly ChartSpec[] = [
  {
    title: text.charts.cpu,
    format: formatPercent,
    max: 100,
    lines: [{ label: text.charts.busy, color: '--f-busy', read: (point) => point.cpu_percent }],
  },
  {
    title: text.charts.loadPerCore,
    format: (value) => value.toFixed(2),
    lines: [{ label: text.charts.minute, color: '--f-busy', read: (point) => point.load1_per_core }],
  },
  {
    title: text.charts.memory,
    format: formatPercent,
    max: 100,
    lines: [{ label: text.charts.inUse, color: '--f-busy', read: (point) => point.memory_percent }],
  },
  {
    title: text.charts.fullestDisk,
    format: formatPercent,
    max: 100,
    lines: [{ label: text.charts.inUse, color: '--f-busy', read: (point) => point.disk_used_percent }],
  },
  {
    title: text.charts.network,
    format: perSecond,
    isBytes: true,
    lines: [
      { label: text.charts.received, color: '--f-busy', read: (point) => point.rx_bytes_per_s },
      { label: text.charts.sent, color: '--f-warn', read: (point) => point.tx_bytes_per_s },
    ],
  },
  {
    title: text.charts.proxiesCpu,
    format: formatPercent,
    lines: [
      { label: text.charts.envoy, color: '--f-busy', read: (point) => point.envoy_cpu_percent },
      { label: text.charts.shield, color: '--f-warn', read: (point) => point.shield_cpu_percent },
    ],
  },
  {
    title: text.charts.proxiesMemory,
    format: formatBytes,
    isBytes: true,
    lines: [
      { label: text.charts.envoy, color: '--f-busy', read: (point) => point.envoy_rss_bytes },
      { label: text.charts.shield, color: '--f-warn', read: (point) => point.shield_rss_bytes },
    ],
  },
];

function Charts({ series }: { series: HostSeries }) {
  const steps = useMemo(() => fillSteps(series), [series]);
  if (series.points.length === 0) return <Empty title={text.charts.emptyTitle}>{text.charts.empty}</Empty>;
  return (
    <div className={classes.charts}>
      {CHARTS.map((spec) => (
        <Chart key={spec.title} spec={spec} steps={steps} />
      ))}
    </div>
  );
}

function Chart({ spec, steps }: { spec: ChartSpec; steps: ReturnType<typeof fillSteps<HostPoint>> }) {
  const { title, lines, format, max, isBytes = false } = spec;
  const series = useMemo(
    () => lines.map(({ label, color, read }) => ({ label, color, values: steps.points.map((p) => p && read(p)) })),
    [lines, steps],
  );
  return (
    <div className={classes.chart}>
      <h2>{title}</h2>
      <SeriesChart
        title={title}
        times={steps.times}
        series={series}
        format={format}
        isBytes={isBytes}
        {...(max && { max })}
      />
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

function NewestSample({ client }: { client: WholeClient }) {
  const disks = listDisks(client.stats);
  const processes = listProcesses(client.stats);
  const names = new Map(client.services.map(({ id, name }) => [id, name]));
  if (!client.usage) return null;
  return (
    <Section title={text.newestSample.title} actions={<Time at={client.usage.at} />}>
      <div className={classes.charts}>
        <Table aria-label={text.newestSample.fileSystems} verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.newestSample.fileSystem}</Table.Th>
              <Table.Th ta="right">{text.newestSample.inUse}</Table.Th>
              <Table.Th ta="right">{text.newestSample.size}</Table.Th>
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
        <Table aria-label={text.newestSample.processes} verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.newestSample.process}</Table.Th>
              <Table.Th>{text.newestSample.service}</Table.Th>
              <Table.Th ta="right">{text.newestSample.cpu}</Table.Th>
              <Table.Th ta="right">{text.newestSample.memory}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {processes.map(({ pid, kind, serviceId, cpu, rss }) => (
              <Table.Tr key={pid}>
                <Table.Td>
                  {kind === 'shield' ? text.newestSample.shield : text.newestSample.envoy}{' '}
                  <span className={classes.dimmed}>{pid}</span>
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
