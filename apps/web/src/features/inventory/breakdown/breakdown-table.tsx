import type { TrafficGroup, TrafficTop } from '@flotilla/contract';
import type { ReactNode } from 'react';
import type { PlainColumn } from '../../../ui/index.ts';
import { formatPercent } from '../charts/parts-bar.tsx';
import { TopTable } from '../charts/top-table.tsx';
import { EventsLink } from '../events-link.tsx';
import classes from '../inventory.module.css';
import { ErrorRate } from '../operation-cells.tsx';
import { texts as shared } from '../texts.tsx';
import { texts } from './texts.ts';

export interface Breakdown {
  readonly by: 'route' | 'operation' | 'consumer' | 'status';
  /** The filter of the requests that has the values. */
  readonly filter: string;
  readonly words: { readonly title: string; readonly name: string };
  readonly nameOf: (group: TrafficGroup) => string;
}

export const BREAKDOWNS: readonly [Breakdown, ...Breakdown[]] = [
  {
    by: 'operation',
    filter: 'operation_id',
    words: texts.operations,
    nameOf: ({ value, label }) => label ?? value,
  },
  {
    by: 'route',
    filter: 'route',
    words: texts.routes,
    nameOf: ({ value }) => value || texts.routes.none,
  },
  {
    by: 'consumer',
    filter: 'consumer',
    words: texts.consumers,
    nameOf: ({ value }) => value || shared.anonymousConsumer,
  },
  {
    by: 'status',
    filter: 'status',
    words: texts.statuses,
    nameOf: ({ value }) => (value === '0' ? texts.statuses.none : value),
  },
];

interface BreakdownTableProps {
  readonly of: Breakdown;
  readonly top: TrafficTop;
  /** Filters and time range of what is counted here. */
  readonly search: Readonly<Record<string, string>>;
}

/** The largest values of one column. Each leads to its requests. */
export function BreakdownTable({ of: { filter, words, nameOf }, top, search }: BreakdownTableProps) {
  const { items, totals, truncated } = top;
  const further: readonly PlainColumn<TrafficGroup>[] = [
    {
      id: 'share',
      header: texts.share,
      align: 'right',
      isNarrow: true,
      cell: ({ requests }) => formatPercent(requests / Math.max(1, totals.requests)),
    },
    {
      id: 'errors',
      header: texts.errors,
      align: 'right',
      cell: ({ server_error_share: share }) => (share === null ? shared.unknown : <ErrorRate rate={share} />),
    },
  ];
  const name = (group: TrafficGroup): ReactNode => {
    const shown = (
      <bdi className={`mono ${classes.operation}`} title={nameOf(group)}>
        {nameOf(group)}
      </bdi>
    );
    // The URL cannot say that a filter has the empty value.
    return group.value === '' ? shown : <EventsLink search={{ ...search, [filter]: group.value }}>{shown}</EventsLink>;
  };
  return (
    <TopTable
      title={words.title}
      rows={items}
      rowId={({ value }) => value}
      name={{ header: words.name, cell: name }}
      requests={texts.requests}
      further={further}
      none={texts.none}
      note={truncated ? texts.more : undefined}
    />
  );
}
