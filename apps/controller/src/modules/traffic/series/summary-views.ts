import {
  TRAFFIC_SPARKLINE_POINTS,
  TRAFFIC_SUMMARY_NAMES_MAX,
  TRAFFIC_SUMMARY_SERVICES_MAX,
  type TrafficName,
  type TrafficScope,
  type TrafficService,
  type TrafficSummary,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { metricId, SCOPE_IDS } from './model/columns.ts';
import type { SeriesRange } from './model/range.ts';
import { SeriesSums } from './model/sums.ts';
import { matches, readNodeBlocks, type TrafficFilter } from './node-blocks-store.ts';

const MINUTE_MS = 60_000;
/** The current minute ends when all of its intervals are stored. */
const REPORT_DELAY_MS = 15_000;
const SPARKLINE_MS = TRAFFIC_SPARKLINE_POINTS * MINUTE_MS;
/** Sparklines of names are read for so many nodes at most. */
const SPARKLINE_NODES_MAX = 100;

const SCOPE_NAMES = new Map<number, TrafficScope>(
  Object.entries(SCOPE_IDS).map(([name, id]) => [id, name as TrafficScope]),
);

interface ServiceRow {
  readonly id: string;
  readonly name: string;
  readonly nodes: number;
  readonly reporting: number;
  readonly reported_at: Date | null;
}

/** A fixed number of statements, whatever the number of services. */
export async function readTrafficSummary(
  db: Db,
  filter: TrafficFilter,
  { scopes, now }: { readonly scopes: readonly TrafficScope[]; readonly now: Date },
): Promise<TrafficSummary> {
  const services = await listServices(db, filter, now);
  const narrowed = { ...filter, serviceIds: services.map(({ id }) => id) };
  const untilMs = Math.floor((now.getTime() - REPORT_DELAY_MS) / MINUTE_MS) * MINUTE_MS;
  const sparkline = { fromMs: untilMs - SPARKLINE_MS, toMs: untilMs };
  const [current, minutes, names] = await Promise.all([
    readCurrent(db, narrowed, { now, scopes }),
    readMinutes(db, narrowed, sparkline),
    readNameSparklines(db, narrowed, { span: sparkline, scopes, services }),
  ]);
  return {
    at: now.toISOString(),
    sparkline_from: new Date(sparkline.fromMs).toISOString(),
    services: services.map((service): TrafficService => {
      const own = current.get(service.id);
      const listed = listNames(own, { scopes, sparklines: names.get(service.id) });
      return {
        service_id: service.id,
        service_name: service.name,
        nodes: service.nodes,
        reporting: service.reporting,
        reported_at: service.reported_at?.toISOString() ?? null,
        ...toStats(own?.server, own?.cluster),
        ...(minutes.get(service.id) ?? toSparklines(undefined)),
        names: listed.slice(0, TRAFFIC_SUMMARY_NAMES_MAX * scopes.length),
        names_omitted: Math.max(0, listed.length - TRAFFIC_SUMMARY_NAMES_MAX * scopes.length),
      };
    }),
  };
}

async function listServices(db: Db, filter: TrafficFilter, now: Date): Promise<ServiceRow[]> {
  const { rows } = await sql<ServiceRow>`
    select services.id, services.name, count(*)::int as nodes, max(n.reported_at) as reported_at,
      (count(*) filter (where n.received_at > ${new Date(now.getTime() - MINUTE_MS)}))::int as reporting
    from traffic_nodes n join services on services.id = n.service_id
    where ${matches(filter, 'n')}
    group by services.id order by services.name limit ${TRAFFIC_SUMMARY_SERVICES_MAX}`.execute(db);
  return rows;
}

/** The sums of a service over its nodes, for one step or some. */
interface ServiceSums {
  readonly server: SeriesSums;
  readonly cluster: SeriesSums;
  /** By scope and name. */
  readonly names: Map<string, NameSums>;
}

interface NameSums {
  readonly scope: TrafficScope;
  readonly name: string | null;
  readonly sums: SeriesSums;
}

async function readCurrent(
  db: Db,
  filter: TrafficFilter,
  { now, scopes }: { readonly now: Date; readonly scopes: readonly TrafficScope[] },
): Promise<ReadonlyMap<string, ServiceSums>> {
  const toMs = now.getTime() - REPORT_DELAY_MS;
  return readSums(db, filter, {
    range: { fromMs: toMs - MINUTE_MS, toMs, stepS: 60, steps: 1, resolution: 10 },
    scopes,
  });
}

async function readSums(
  db: Db,
  filter: TrafficFilter,
  { range, scopes }: { readonly range: SeriesRange; readonly scopes: readonly TrafficScope[] },
): Promise<ReadonlyMap<string, ServiceSums>> {
  const grid = { steps: range.steps, stepMs: range.stepS * 1000 };
  const byService = new Map<string, ServiceSums>();
  const wantedScopes = new Set<string>(scopes);
  const isNamed = scopes.length > 0;
  for await (const { serviceId, block } of readNodeBlocks(db, filter, { range, wanted: {}, isNamed })) {
    const own = byService.get(serviceId) ?? {
      server: new SeriesSums(grid),
      cluster: new SeriesSums(grid),
      names: new Map(),
    };
    byService.set(serviceId, own);
    own.server.addNode(block);
    own.cluster.addNode(block);
    for (const [key, series] of block.series) {
      if (series.scope === SCOPE_IDS.server) own.server.add(series, block.coveredMs);
      if (series.scope === SCOPE_IDS.cluster) own.cluster.add(series, block.coveredMs);
      const scope = SCOPE_NAMES.get(series.scope);
      if (!isNamed || scope === undefined || !wantedScopes.has(scope)) continue;
      const named = own.names.get(key) ?? { scope, name: series.name, sums: new SeriesSums(grid) };
      own.names.set(key, named);
      named.sums.addNode(block);
      named.sums.add(series, block.coveredMs);
    }
  }
  return byService;
}

type Sparklines = Pick<TrafficService, 'sparkline' | 'errors_sparkline'>;

async function readMinutes(
  db: Db,
  filter: TrafficFilter,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<ReadonlyMap<string, Sparklines>> {
  const { rows } = await sql<{ service_id: string; minutes: ReadonlyArray<readonly [number, number, number]> }>`
    select service_id, jsonb_agg(jsonb_build_array(place, requests, errors)) as minutes from (
      select m.service_id, (extract(epoch from m.minute - ${new Date(fromMs)}::timestamptz) / 60)::int as place,
        sum(m.requests * 1000.0 / least(m.covered_ms, 60000))::float8 as requests,
        sum(m.errors * 1000.0 / least(m.covered_ms, 60000))::float8 as errors
      from traffic_minutes m
      where m.minute >= ${new Date(fromMs)} and m.minute < ${new Date(toMs)} and m.covered_ms > 0 and ${matches(filter, 'm')}
      group by m.service_id, m.minute) minutes
    group by service_id`.execute(db);
  return new Map(
    rows.map(({ service_id, minutes }) => {
      const at = new Map(minutes.map(([place, requests, errors]) => [place, { requests, errors }]));
      return [service_id, toSparklines((step) => at.get(step))];
    }),
  );
}

/** By service, then by scope and name. Empty if there are too many nodes. */
async function readNameSparklines(
  db: Db,
  filter: TrafficFilter,
  {
    span,
    scopes,
    services,
  }: {
    readonly span: { readonly fromMs: number; readonly toMs: number };
    readonly scopes: readonly TrafficScope[];
    readonly services: readonly ServiceRow[];
  },
): Promise<ReadonlyMap<string, ReadonlyMap<string, NameSums>>> {
  const nodes = services.reduce((sum, service) => sum + service.nodes, 0);
  if (scopes.length === 0 || nodes > SPARKLINE_NODES_MAX) return new Map();
  const range: SeriesRange = { ...span, stepS: 60, steps: TRAFFIC_SPARKLINE_POINTS, resolution: 60 };
  const sums = await readSums(db, filter, { range, scopes });
  return new Map([...sums].map(([id, { names }]) => [id, names]));
}

interface NameSources {
  readonly scopes: readonly TrafficScope[];
  readonly sparklines: ReadonlyMap<string, NameSums> | undefined;
}

/** Names with traffic now or within the sparkline, the busiest first. */
function listNames(own: ServiceSums | undefined, { scopes, sparklines }: NameSources): TrafficName[] {
  const keys = new Set([...(own?.names.keys() ?? []), ...(sparklines?.keys() ?? [])]);
  const names = [...keys].flatMap((key): TrafficName[] => {
    const now = own?.names.get(key);
    const earlier = sparklines?.get(key);
    const one = now ?? earlier;
    if (!one || !scopes.includes(one.scope)) return [];
    const lines = toSparklines(
      earlier &&
        ((step) =>
          earlier.sums.nodes[step] === 0
            ? undefined
            : { requests: earlier.sums.requestsAt(step), errors: earlier.sums.errorsAt(step) }),
    );
    return [{ scope: one.scope, name: one.name, ...toStats(now?.sums, now?.sums), ...lines }];
  });
  return names.toSorted(
    (a, b) =>
      scopes.indexOf(a.scope) - scopes.indexOf(b.scope) ||
      (b.requests_per_s ?? 0) - (a.requests_per_s ?? 0) ||
      (a.name ?? '').localeCompare(b.name ?? ''),
  );
}

/** `clusters` has the endpoints. */
function toStats(sums: SeriesSums | undefined, clusters: SeriesSums | undefined) {
  if (!sums || sums.nodes[0] === 0) {
    const latency = { p50_ms: null, p95_ms: null, p99_ms: null };
    const rates = { requests_per_s: null, errors_per_s: null, error_share: null };
    return { ...rates, ...latency, connections: null, endpoints: null, endpoints_healthy: null };
  }
  const endpoints = metricId('endpoints');
  const hasEndpoints = clusters?.has(endpoints) ?? false;
  const gauge = (from: SeriesSums | undefined, id: number) => Math.round(from?.valueAt(id, 0) ?? 0);
  return {
    requests_per_s: sums.requestsAt(0),
    errors_per_s: sums.errorsAt(0),
    error_share: sums.errorShareAt(0),
    ...sums.latencyAt(0),
    connections: gauge(sums, metricId('connections_active')),
    endpoints: hasEndpoints ? gauge(clusters, endpoints) : null,
    endpoints_healthy: hasEndpoints ? gauge(clusters, metricId('endpoints_healthy')) : null,
  };
}

/** undefined: nothing is known about any minute. */
function toSparklines(
  read: ((step: number) => { readonly requests: number; readonly errors: number } | undefined) | undefined,
): Sparklines {
  const steps = Array.from({ length: TRAFFIC_SPARKLINE_POINTS }, (_, step) => read?.(step));
  return {
    sparkline: steps.map((minute) => minute?.requests ?? null),
    errors_sparkline: steps.map((minute) => minute?.errors ?? null),
  };
}
