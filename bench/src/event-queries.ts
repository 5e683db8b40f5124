// Measures the routes that read the event store, over HTTP injection, with a DuckDB store in its own thread. The first lines are the
// baseline: plain counts in SQL over the same events. `node bench/src/event-queries.ts [EVENTS] [DAYS]`; the events span the days evenly.
import { createEventWorld } from '@flotilla/controller/testing/traffic-events';
import type { RequestEvent } from '@flotilla/event-store';
import { toMarkBits } from '@flotilla/inventory';
import { median } from './table.ts';

const [count = 10_000_000, days = 7] = process.argv.slice(2).map(Number);
const BATCH = 20_000;
const DAY_MS = 86_400_000;
const ROUNDS = 5;
/** Operations, consumers, sources and user agents. */
const [OPERATIONS, CONSUMERS, SOURCES, AGENTS] = [200, 5_000, 20_000, 300];

let seed = 1;
const random = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const hashes = (kind: number, size: number) =>
  Array.from({ length: size }, (_, index) => {
    const high = Math.imul(index + 1, 2_654_435_761) >>> 0;
    return high.toString(16).padStart(8, '0') + (kind * 1_000_000 + index).toString(16).padStart(8, '0');
  });
const operations = hashes(1, OPERATIONS);
const consumers = hashes(2, CONSUMERS);
const sources = hashes(3, SOURCES);
const agents = hashes(4, AGENTS);
const KNOWN = toMarkBits(['confirmed', 'authenticated', 'externalSource']);

const w = await createEventWorld();
try {
  await fill();
  await w.store.compact();
  const { events, bytes } = await w.store.health();
  console.log(`${events} events of ${days} days, ${(bytes / events).toFixed(1)} bytes each`);
  const rows: Record<string, string> = {};
  const measure = async (title: string, work: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const start = performance.now();
      await work();
      times.push(performance.now() - start);
    }
    rows[title] = `${median(times).toFixed(0)} ms`;
  };
  await measure('SQL: count(*), min and max of the time, of all events', () => w.store.health());
  for (const [title, path, query] of listRequests()) await measure(title, () => w.get(path, query));
  console.table(rows);
} finally {
  await w.close();
}

async function fill(): Promise<void> {
  const begin = performance.now();
  const startMs = w.nowMs - days * DAY_MS;
  const step = (days * DAY_MS) / count;
  for (let first = 0; first < count; first += BATCH) {
    const size = Math.min(BATCH, count - first);
    await w.append(
      Array.from({ length: size }, (_, index) => createRequest(Math.floor(startMs + (first + index) * step))),
    );
  }
  const seconds = (performance.now() - begin) / 1000;
  console.log(`filled in ${seconds.toFixed(0)} s, ${Math.round(count / seconds)} events per second`);
}

/** The first operations and consumers are far more frequent than the last ones. */
function createRequest(timeMs: number): RequestEvent {
  const operation = Math.floor(random() ** 3 * OPERATIONS);
  return w.event({
    timeMs,
    method: operation % 3 === 0 ? 'POST' : 'GET',
    protocol: pick(['http/2', 'http/1.1', 'http/3']),
    host: `api-${operation % 5}.example.com`,
    path: `/v1/resource-${operation}/{id}`,
    route: `route-${operation % 40}`,
    cluster: `cluster-${operation % 20}`,
    country: pick(['NL', 'DE', 'FR', 'US', 'BR', 'IN', '']),
    agentKind: pick(['browser', 'sdk', 'bot', 'monitor']),
    authScheme: pick(['jwt', 'apikey', 'none']),
    status: random() < 0.95 ? 200 : pick([201, 400, 404, 429, 500, 503]),
    latencyUs: Math.floor(10 ** (3 + random() * 2.5)),
    responseBytes: Math.floor(10 ** (2 + random() * 3)),
    asn: 64_496 + Math.floor(random() * 200),
    operationId: operations[operation] ?? '',
    consumer: consumers[Math.floor(random() ** 2 * CONSUMERS)] ?? '',
    source: pick(sources),
    userAgent: pick(agents),
    flags: random() < 0.05 ? [Math.floor(random() * 40)] : [],
    risk: random() < 0.02 ? 7 : 0,
    marks: KNOWN,
    requestId: `00000000-0000-4000-8000-${Math.floor(random() * 2 ** 40)
      .toString(16)
      .padStart(12, '0')}`,
  });
}

function listRequests(): [string, string, Record<string, string | string[]>][] {
  const week = { from: new Date(w.nowMs - 7 * DAY_MS + 1000).toISOString(), to: new Date(w.nowMs + 1).toISOString() };
  const page = (title: string, filter: Record<string, string>): [string, string, Record<string, string>] => [
    `page of 100 of the week, ${title}`,
    '/events',
    { ...week, limit: '100', ...filter },
  ];
  return [
    ['overview of a day', '/overview', {}],
    ['overview of the week', '/overview', week],
    page('no filter', {}),
    page('one operation', { operation_id: operations[150] ?? '' }),
    page('status 503', { status: '503' }),
    page('status class 5xx', { status_class: '5xx' }),
    page('country', { country: 'BR' }),
    page('rare consumer', { consumer: consumers.at(-1) ?? '' }),
    page('risk flag', { risk_flag: 'bola_suspect' }),
    page('risk of at least 5', { min_risk_score: '5' }),
    page('beginning of the path', { normalized_path: '/v1/resource-19' }),
    page('service and network', { service_id: w.service.id, asn: '64500' }),
    page('source address without requests', { source_ip: '192.0.2.1' }),
    page('unknown request id', { request_id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301' }),
    ['series of the week by the hour', '/stats', { ...week, granularity: '1h' }],
    ['series of the week, split by status class', '/stats', { ...week, granularity: '1h', by: 'status_class' }],
    ['series of the week of one country (from events)', '/stats', { ...week, granularity: '1h', country: 'BR' }],
    ['series of the week with unique consumers and sources', '/stats', { ...week, granularity: '1h', uniques: 'true' }],
    ['ten largest operations of the week', '/top', { ...week, by: 'operation' }],
    ['ten largest consumers of the week', '/consumers', week],
    ['countries and networks of the week', '/geo', week],
    ['errors of the week', '/errors', week],
    ['security score of the week', '/security-score', week],
    ['five facets of a day', '/events', { facets: ['country', 'status_class', 'host', 'agent_kind', 'operation'] }],
  ];
}
