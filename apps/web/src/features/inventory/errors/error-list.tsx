import type { TrafficErrors } from '@flotilla/contract';
import { type PlainColumn, PlainTable, Section } from '../../../ui/index.ts';
import { formatPercent } from '../charts/parts-bar.tsx';
import { ShareBar } from '../charts/share-bar.tsx';
import { EventsLink } from '../events-link.tsx';
import classes from '../inventory.module.css';
import { formatLatency } from '../looks.ts';
import { nameOf, OperationLink } from '../operation-name.tsx';
import { texts } from './texts.ts';

const text = texts.columns;

type Item = TrafficErrors['items'][number];

interface ErrorListProps {
  readonly items: readonly Item[];
  readonly times: Readonly<Record<string, string>>;
}

/** The endpoints with the most errors, each with the way to its failed requests. */
export function ErrorList({ items, times }: ErrorListProps) {
  return (
    <Section title={texts.list}>
      {items.length === 0 ? (
        <p className={classes.dim}>{texts.none}</p>
      ) : (
        <PlainTable name={texts.list} rows={items} columns={listColumns(times)} rowId={(row) => row.operation_id} />
      )}
    </Section>
  );
}

function listColumns(times: ErrorListProps['times']): readonly PlainColumn<Item>[] {
  const number = (id: string, header: string, read: (row: Item) => number): PlainColumn<Item> => ({
    id,
    header,
    align: 'right',
    cell: (row) => Math.round(read(row)).toLocaleString('en'),
  });
  const shareOf = ({ client_errors: client, server_errors: server, requests }: Item) =>
    (client + server) / Math.max(1, requests);
  return [
    {
      id: 'endpoint',
      header: text.endpoint,
      isNarrow: true,
      cell: (row) => <OperationLink of={{ ...row, id: row.operation_id }} isWhole />,
    },
    {
      id: 'share',
      header: text.share,
      isNarrow: true,
      cell: (row) => (
        <ShareBar share={shareOf(row)} tone={row.server_errors > 0 ? 'bad' : 'warn'}>
          {formatPercent(shareOf(row))}
        </ShareBar>
      ),
    },
    number('server', text.server, (row) => row.server_errors),
    number('client', text.client, (row) => row.client_errors),
    number('requests', text.requests, (row) => row.requests),
    { id: 'latency', header: text.latency, align: 'right', cell: (row) => formatLatency(row.latency_max_ms) },
    {
      id: 'events',
      header: text.events,
      isNarrow: true,
      cell: (row) => (
        <EventsLink
          search={{ ...times, operation_id: row.operation_id, status_class: ['4xx', '5xx'] }}
          title={text.showOf(nameOf(row))}
        >
          {text.show}
        </EventsLink>
      ),
    },
  ];
}
