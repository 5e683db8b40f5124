import { TRAFFIC_METRICS, type TrafficMetricName } from '@flotilla/proto';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Block } from './model/block.ts';
import { combine, FIRST_BUCKET, findColumn, LATENCY_SUM_US, REQUEST_COLUMNS, SCOPE_IDS } from './model/columns.ts';
import { BOUNDS_US } from './model/histogram.ts';
import type { TrafficListener } from './recorder.ts';

/** Services with series of their own; the rest is counted as the service `other`. */
const SERVICES_MAX = 200;
const NODES_MAX = 2_000;
/** A gauge that was not reported for so long is unknown. */
const FRESH_MS = 60_000;

/** Requests of clients are counted by the listeners (`server`), requests to upstreams by the clusters. */
const SCOPES = { server: SCOPE_IDS.server, cluster: SCOPE_IDS.cluster } as const;
type ScopeName = keyof typeof SCOPES;

interface NodeGauges {
  readonly service: string;
  readonly atMs: number;
  /** By scope and metric. */
  readonly values: ReadonlyMap<string, number>;
}

/** The traffic that this controller has stored, as metrics with the names of the series. */
export class TrafficMetrics implements TrafficListener {
  readonly #now: () => Date;
  readonly #services = new Set<string>();
  readonly #counters = new Map<number, Counter>();
  readonly #gaugesOf = new Map<string, NodeGauges>();
  readonly #requests: Counter;
  readonly #buckets: Counter;
  readonly #sum: Counter;
  readonly #count: Counter;

  constructor(registry: Registry, now: () => Date) {
    this.#now = now;
    const common = { labelNames: ['service_id', 'scope'], registers: [registry] };
    for (const [name, { id, kind }] of Object.entries(TRAFFIC_METRICS)) {
      const help = `${name.replaceAll('_', ' ')} of proxies, by service; scope server counts what listeners do, cluster what upstreams do`;
      if (kind === 'counter')
        this.#counters.set(id, new Counter({ name: `flotilla_traffic_${name}_total`, help, ...common }));
      else this.#addGauge(name as TrafficMetricName, { help, ...common });
    }
    this.#requests = new Counter({
      name: 'flotilla_traffic_requests_total',
      help: 'responses of all status classes',
      ...common,
    });
    const help = 'time from the start of a request to the end of its response';
    this.#buckets = new Counter({
      name: 'flotilla_traffic_latency_seconds_bucket',
      help: `requests by ${help}`,
      ...common,
      labelNames: [...common.labelNames, 'le'],
    });
    this.#sum = new Counter({ name: 'flotilla_traffic_latency_seconds_sum', help: `sum of the ${help}`, ...common });
    this.#count = new Counter({
      name: 'flotilla_traffic_latency_seconds_count',
      help: `number of requests by ${help}`,
      ...common,
    });
  }

  stored(node: { readonly clientId: string; readonly serviceId: string }, totals: Block, at: Date): void {
    const service = this.#label(node.serviceId);
    const gauges = new Map<string, number>();
    for (const [scope, id] of Object.entries(SCOPES)) {
      const columns = totals.series.get(`${id}`)?.columns;
      if (!columns) continue;
      const labels = { service_id: service, scope };
      const read = (column: number) => columns.get(column)?.[0] ?? 0;
      for (const [column] of columns) {
        if (findColumn(column)?.kind === 'gauge') gauges.set(`${scope} ${column}`, read(column));
        else this.#counters.get(column)?.inc(labels, read(column));
      }
      this.#requests.inc(
        labels,
        REQUEST_COLUMNS.reduce((sum, column) => sum + read(column), 0),
      );
      this.#addLatency(labels, read);
    }
    const key = `${node.clientId} ${node.serviceId}`;
    this.#gaugesOf.delete(key);
    this.#gaugesOf.set(key, { service, atMs: at.getTime(), values: gauges });
    const [oldest] = this.#gaugesOf.keys();
    if (this.#gaugesOf.size > NODES_MAX && oldest !== undefined) this.#gaugesOf.delete(oldest);
  }

  #addLatency(labels: { service_id: string; scope: string }, read: (column: number) => number): void {
    let count = 0;
    for (const [bucket, bound] of [...BOUNDS_US, Number.POSITIVE_INFINITY].entries()) {
      count += read(FIRST_BUCKET + bucket);
      if (count > 0)
        this.#buckets.inc({ ...labels, le: bound === Number.POSITIVE_INFINITY ? '+Inf' : `${bound / 1e6}` }, count);
    }
    if (count === 0) return;
    this.#sum.inc(labels, read(LATENCY_SUM_US) / 1e6);
    this.#count.inc(labels, count);
  }

  #addGauge(name: TrafficMetricName, options: { help: string; labelNames: string[]; registers: Registry[] }): void {
    const { id } = TRAFFIC_METRICS[name];
    const gauges = this.#gaugesOf;
    const now = this.#now;
    new Gauge({
      name: `flotilla_traffic_${name}`,
      ...options,
      collect() {
        this.reset();
        for (const [label, value] of sumGauges(gauges.values(), id, now().getTime())) {
          const [service_id = '', scope = ''] = label.split(' ');
          this.set({ service_id, scope }, value);
        }
      },
    });
  }

  #label(serviceId: string): string {
    if (this.#services.has(serviceId)) return serviceId;
    if (this.#services.size >= SERVICES_MAX) return 'other';
    this.#services.add(serviceId);
    return serviceId;
  }
}

/** By service and scope, over the nodes that reported lately. */
function sumGauges(nodes: Iterable<NodeGauges>, id: number, nowMs: number): ReadonlyMap<string, number> {
  const across = findColumn(id)?.across ?? 'sum';
  const sums = new Map<string, number>();
  for (const { service, atMs, values } of nodes) {
    if (nowMs - atMs > FRESH_MS) continue;
    for (const scope of Object.keys(SCOPES) as ScopeName[]) {
      const value = values.get(`${scope} ${id}`);
      const label = `${service} ${scope}`;
      if (value !== undefined) sums.set(label, combine(across, sums.get(label) ?? 0, value));
    }
  }
  return sums;
}
