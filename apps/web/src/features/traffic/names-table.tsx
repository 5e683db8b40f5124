import type { TrafficName, TrafficScope, TrafficService } from '@flotilla/contract';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type PlainColumn, PlainTable, Section } from '../../ui/index.ts';
import { formatMs, formatShort } from './figures.ts';
import { texts } from './texts.tsx';
import { ERRORS, P95, RATE, SPARKLINE } from './traffic-columns.tsx';

const text = texts.names;

interface NamesTableProps {
  readonly title: string;
  readonly traffic: TrafficService;
  readonly scope: TrafficScope;
  /** Links to the object with this name. */
  readonly link?: (name: string) => ReactNode;
  /** Shown instead of an empty table. */
  readonly none?: string;
}

/** Lists what a service has of one scope, such as its listeners, with the current traffic, most requests first. */
export function NamesTable({ title, traffic, scope, link, none = text.none }: NamesTableProps) {
  const rows = traffic.names.filter((one) => one.scope === scope);
  return (
    <Section title={title}>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <PlainTable name={title} rows={rows} rowId={({ name }) => name ?? ''} columns={listColumns(scope, link)} />
      )}
    </Section>
  );
}

function listColumns(scope: TrafficScope, link: NamesTableProps['link']): PlainColumn<TrafficName>[] {
  return [
    {
      id: 'name',
      header: text.name,
      isNarrow: true,
      cell: ({ name }) => (name === null ? text.other : (link?.(name) ?? <bdi className="mono">{name}</bdi>)),
    },
    RATE,
    ERRORS,
    { id: 'p50', header: text.p50, align: 'right', cell: (one) => formatMs(one.p50_ms) },
    P95,
    { id: 'p99', header: text.p99, align: 'right', cell: (one) => formatMs(one.p99_ms) },
    ...(scope === 'cluster' ? [ENDPOINTS] : []),
    ...(scope === 'listener' ? [CONNECTIONS] : []),
    SPARKLINE,
  ];
}

const ENDPOINTS: PlainColumn<TrafficName> = {
  id: 'endpoints',
  header: text.endpoints,
  align: 'right',
  cell: ({ endpoints, endpoints_healthy: healthy }) =>
    endpoints === null ? texts.figures.unknown : texts.figuresRow.of(healthy ?? 0, endpoints),
};

const CONNECTIONS: PlainColumn<TrafficName> = {
  id: 'connections',
  header: text.connections,
  align: 'right',
  cell: ({ connections }) => (connections === null ? texts.figures.unknown : formatShort(connections)),
};
