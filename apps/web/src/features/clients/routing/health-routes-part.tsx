import { type BgpHealthRoute, readBgpConfig } from '@flotilla/contract';
import { Empty, type PlainColumn, PlainTable, State } from '../../../ui/index.ts';
import type { Client } from '../model.ts';
import { Answer } from './answer.tsx';
import { texts } from './texts.ts';
import { useRouting } from './use-routing.ts';

const text = texts.health;
const EVERY_MS = 10_000;

const COLUMNS: readonly PlainColumn<BgpHealthRoute>[] = [
  { id: 'network', header: text.network, isNarrow: true, cell: ({ prefix }) => <span className="mono">{prefix}</span> },
  { id: 'service', header: text.service, isNarrow: true, cell: ({ service }) => <bdi>{service}</bdi> },
  {
    id: 'state',
    header: text.state,
    isNarrow: true,
    cell: ({ isAnnounced }) =>
      isAnnounced ? (
        <State word={text.announced} tone="good" shape="full" />
      ) : (
        <State word={text.withdrawn} tone="bad" shape="triangle" why={text.why} />
      ),
  },
];

/** The networks that the host announces while services are healthy. */
export function HealthRoutesPart({ client }: { client: Client }) {
  const query = useRouting(client.client_id, 'BGP_GET_CONFIG', { everyMs: EVERY_MS });
  return (
    <Answer query={query} what={text.what} read={readBgpConfig}>
      {({ healthRoutes }) =>
        healthRoutes.length === 0 ? (
          <Empty title={text.emptyTitle}>{text.empty}</Empty>
        ) : (
          <PlainTable name={text.list} rows={healthRoutes} columns={COLUMNS} rowId={({ prefix }) => prefix} />
        )
      }
    </Answer>
  );
}
