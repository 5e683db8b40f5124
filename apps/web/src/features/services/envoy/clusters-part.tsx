import { type EnvoyCluster, readEnvoyClusters } from '@flotilla/contract';
import { Empty, type PlainColumn, PlainTable, State } from '../../../ui/index.ts';
import { Answer } from './answer.tsx';
import { MatchBar, RowsEnd, useMatchedRows } from './matched-rows.tsx';
import { texts } from './texts.tsx';
import { type EnvoyPlace, useProxy } from './use-proxy.ts';

const text = texts.clusters;
const EVERY_MS = 10_000;

interface Row {
  readonly id: string;
  readonly cluster: string;
  /** Undefined for a cluster without endpoints. */
  readonly endpoint: EnvoyCluster['endpoints'][number] | undefined;
}

const COLUMNS: readonly PlainColumn<Row>[] = [
  { id: 'cluster', header: text.cluster, isNarrow: true, cell: ({ cluster }) => <bdi>{cluster}</bdi> },
  { id: 'endpoint', header: text.endpoint, isNarrow: true, cell: ({ endpoint }) => <bdi>{endpoint?.address}</bdi> },
  { id: 'health', header: text.health, isNarrow: true, cell: (row) => <Health row={row} /> },
  { id: 'active', header: text.active, align: 'right', cell: ({ endpoint }) => endpoint?.activeRequests },
  { id: 'weight', header: text.weight, align: 'right', cell: ({ endpoint }) => endpoint?.weight },
];

export function ClustersPart({ place }: { place: EnvoyPlace }) {
  const query = useProxy(place, { path: '/clusters' }, { everyMs: EVERY_MS });
  return (
    <Answer query={query} what={text.what} read={readEnvoyClusters}>
      {(clusters) => <Clusters clusters={clusters} />}
    </Answer>
  );
}

function Clusters({ clusters }: { clusters: readonly EnvoyCluster[] }) {
  const { match, matching, shown } = useMatchedRows(toRows(clusters), ({ cluster, endpoint }) =>
    [cluster, endpoint?.address, endpoint?.health].join(' '),
  );
  if (clusters.length === 0) return <Empty title={text.emptyTitle}>{text.empty}</Empty>;
  const endpoints = matching.flatMap(({ endpoint }) => endpoint ?? []);
  const unhealthy = endpoints.filter(({ isHealthy }) => !isHealthy).length;
  return (
    <>
      <MatchBar label={text.match} status={text.shown(endpoints.length, unhealthy)} />
      {shown.length > 0 && <PlainTable name={text.list} rows={shown} columns={COLUMNS} rowId={({ id }) => id} />}
      <RowsEnd match={match} shown={shown.length} left={matching.length - shown.length} />
    </>
  );
}

/** Unhealthy endpoints are first, because they are looked for. */
function toRows(clusters: readonly EnvoyCluster[]): Row[] {
  const rows = clusters.flatMap(({ name, endpoints }, i): Row[] =>
    endpoints.length === 0
      ? [{ id: `${i}`, cluster: name, endpoint: undefined }]
      : endpoints.map((endpoint, n) => ({ id: `${i} ${n}`, cluster: name, endpoint })),
  );
  const isBad = ({ endpoint }: Row) => Number(endpoint?.isHealthy === false);
  return rows.toSorted((a, b) => isBad(b) - isBad(a));
}

function Health({ row: { endpoint } }: { row: Row }) {
  if (!endpoint) return <State word={text.noEndpoints} tone="quiet" shape="ring" why={text.whyNoEndpoints} />;
  if (endpoint.isHealthy) return <State word={text.healthy} tone="good" shape="full" />;
  return <State word={text.unhealthy} tone="bad" shape="triangle" why={endpoint.health} />;
}
