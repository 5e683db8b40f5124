import type { TrafficService } from '@flotilla/contract';
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatMs, formatRate, formatShare, formatShort } from './figures.ts';
import { texts } from './texts.tsx';
import { ErrorShare } from './traffic-columns.tsx';

const text = texts.figuresRow;

export type Stats = Pick<
  TrafficService,
  'requests_per_s' | 'errors_per_s' | 'error_share' | 'p95_ms' | 'connections' | 'endpoints' | 'endpoints_healthy'
>;

/** Shows the numbers of the last complete minute. */
export function FiguresRow({ stats }: { stats: Stats }) {
  const { endpoints, endpoints_healthy: healthy } = stats;
  return (
    <Group gap="xl">
      <Group component="dl" gap="xl" m={0} aria-label={text.title}>
        <Figure name={text.requests}>{formatRate(stats.requests_per_s)}</Figure>
        <Figure name={text.errors}>
          {stats.error_share === null ? formatShare(null) : <ErrorShare share={stats.error_share} />}
        </Figure>
        <Figure name={text.latency}>{formatMs(stats.p95_ms)}</Figure>
        {stats.connections !== null && <Figure name={text.connections}>{formatShort(stats.connections)}</Figure>}
        {endpoints !== null && (
          <Figure name={text.endpoints}>
            {(healthy ?? 0) < endpoints ? (
              <strong style={{ color: 'var(--f-warn)' }}>{text.of(healthy ?? 0, endpoints)}</strong>
            ) : (
              text.of(endpoints, endpoints)
            )}
          </Figure>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {stats.requests_per_s === null ? text.notReported : text.lastMinute}
      </Text>
    </Group>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} fz={22} fw={550} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {children}
      </Text>
    </div>
  );
}
