import {
  type CallInput,
  TRAFFIC_EVENTS_PAGE_MAX,
  type TrafficBacklog,
  type TrafficEvent,
  type TrafficGap,
  type TrafficGroup,
  type TrafficOverview,
  trafficEventRoutes,
  trafficInsightRoutes,
} from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import { CliFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import type { Input } from '../nouns/inputs.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, get, type Output, toTable, type Verb } from '../nouns/verb.ts';
import { type Columns, note, print, printable, renderLine, renderTable } from '../output.ts';
import { collectPages } from '../paging.ts';
import { CLIENT, LIMIT, SERVICE, SINCE, UNTIL } from './inputs.ts';
import { LIMIT_DEFAULT } from './option-values.ts';
import { readEvents } from './read-events.ts';
import { describeComparison, describeDeleted, describeLatencyMap, describeRead } from './traffic-texts.ts';

const RETRY_MS = 2000;

type ListInput = CallInput<typeof trafficEventRoutes.list>;

/** Filters of every command about requests. */
const FILTERS = [
  SERVICE,
  CLIENT,
  { flags: '--operation <id>', help: 'id of an operation', to: 'operation_id' },
  { flags: '--method <method>', to: 'method' },
  { flags: '--host <prefix>', help: 'start of the host', to: 'host' },
  { flags: '--path <prefix>', help: 'start of the normalized path', to: 'normalized_path' },
  { flags: '--status <status>', to: 'status' },
  { flags: '--status-class <class>', to: 'status_class' },
  { flags: '--risk-flag <flag>', to: 'risk_flag' },
  { flags: '--min-latency <ms>', help: 'shortest time to the end of the response', to: 'min_latency_ms' },
  { flags: '--max-latency <ms>', help: 'longest time to the end of the response', to: 'max_latency_ms' },
  { flags: '--min-risk <score>', help: 'smallest score of threats', to: 'min_risk_score' },
  { flags: '--country <code>', to: 'country' },
  { flags: '--asn <number>', to: 'asn' },
  { flags: '--agent-kind <kind>', to: 'agent_kind' },
  { flags: '--action <action>', help: 'decision of the filter', to: 'action' },
  { flags: '--consumer <hash>', to: 'consumer' },
  { flags: '--source <address>', help: 'a whole address', to: 'source_ip' },
  { flags: '--user-agent <text>', help: 'a whole user agent', to: 'user_agent' },
  { flags: '--request-id <id>', to: 'request_id' },
] as const satisfies Input[];
const TOP = { flags: '--top <number>', help: 'maximum number of groups; 10 by default', to: 'top' } as const;

const COLUMNS: Columns<TrafficEvent> = {
  time: 'time',
  status: 'status',
  ms: 'latency_ms',
  method: 'method',
  host: 'host',
  path: 'normalized_path',
  service: 'service_name',
  country: 'country',
  agent: 'agent_kind',
  action: 'action',
  risk: 'risk_score',
  'request id': 'request_id',
};

const percent = (share: number | null) => (share === null ? '-' : `${(share * 100).toFixed(1)}%`);
const GROUP_COLUMNS: Columns<TrafficGroup> = {
  requests: 'requests',
  errors: (row) => percent(row.server_error_share),
  'client errors': (row) => percent(row.client_error_share),
  'max ms': 'latency_max_ms',
  bytes: 'response_bytes',
  risk: 'risk_max',
  value: ({ label, value }) => label ?? value,
};

export const REQUESTS: Noun = {
  help: 'requests that proxies served: lists, live, rankings and series',
  place: 'project',
  verbs: {
    list: act(
      {
        help: 'the newest requests, of the last 24 hours by default',
        route: trafficEventRoutes.list,
        inputs: [...FILTERS, SINCE, UNTIL, LIMIT],
      },
      listRequests,
    ),
    tail: act(
      { help: 'print requests as they arrive until Ctrl-C', route: trafficEventRoutes.live, inputs: FILTERS },
      follow,
    ),
    top: get(trafficInsightRoutes.top, {
      inputs: [{ flags: '<column>', to: 'by' }, { flags: '--order <sum>', to: 'order' }, ...FILTERS, SINCE, UNTIL, TOP],
      text: ({ items, totals, truncated, ...read }) =>
        [
          ...describeRead(read, totals.requests),
          ...(items.length > 0 ? [renderTable(GROUP_COLUMNS, items)] : []),
          ...(truncated ? ['There are more groups: raise --top.'] : []),
        ].join('\n'),
    }),
    series: series(),
    compare: get(trafficInsightRoutes.comparison, {
      inputs: [
        ...FILTERS,
        SINCE,
        UNTIL,
        { ...SINCE, flags: '--base-since <time>', to: 'base_from' },
        { ...UNTIL, flags: '--base-until <time>', to: 'base_to' },
        TOP,
      ],
      text: describeComparison,
    }),
    latency: get(trafficInsightRoutes.latencyMap, { inputs: [...FILTERS, SINCE, UNTIL], text: describeLatencyMap }),
    gaps: get(trafficInsightRoutes.gaps, {
      inputs: [SERVICE, CLIENT, SINCE, UNTIL, LIMIT],
      text: describeGaps,
    }),
    overview: get(trafficInsightRoutes.overview, { inputs: [...FILTERS, SINCE, UNTIL, TOP], text: describeOverview }),
  },
};

async function listRequests({ scope, request, values }: Given): Promise<Output> {
  const { limit = LIMIT_DEFAULT } = values as { limit?: number };
  let notes: string[] = [];
  const rows = await collectPages(async (cursor, size) => {
    const query = { ...request.query, cursor, limit: Math.min(size, TRAFFIC_EVENTS_PAGE_MAX) };
    const { body } = await scope.connection.call(trafficEventRoutes.list, { query } as ListInput);
    notes = describeDeleted(body);
    return body;
  }, limit);
  const table = toTable(rows, COLUMNS);
  const noted = [table.note, ...notes].filter((one) => one !== undefined);
  return { ...table, ...(noted.length > 0 && { note: noted.join('\n') }) };
}

function series(): Verb {
  return get(trafficInsightRoutes.stats, {
    inputs: [
      { flags: '--step <length>', to: 'granularity' },
      { flags: '--by <column>', help: 'one line for each of the largest values', to: 'by' },
      ...FILTERS,
      SINCE,
      UNTIL,
    ],
    text: ({ points, totals, by, ...read }) => {
      const columns: Columns<(typeof points)[number]> = {
        time: 'at',
        ...(by !== null && { [by]: (row: (typeof points)[number]) => row.label ?? row.value ?? '' }),
        requests: 'requests',
        errors: (row) => percent(row.server_error_share),
        'client errors': (row) => percent(row.client_error_share),
        'p50 ms': 'p50_ms',
        'p95 ms': 'p95_ms',
        'p99 ms': 'p99_ms',
        risk: 'risk_max',
      };
      const head = `${read.from} to ${read.to}: ${totals.requests} requests, p95 ${totals.p95_ms ?? '-'} ms`;
      return [head, ...describeDeleted(read), ...(points.length === 0 ? [] : [renderTable(columns, points)])].join(
        '\n',
      );
    },
  });
}

const GAP_COLUMNS: Columns<TrafficGap> = {
  noticed: 'at',
  service: ({ service_name: name, service_id: id }) => name ?? id,
  client: ({ client_name: name, client_id: id }) => name ?? id,
  'lost batches': 'batches',
};
const WAITING_COLUMNS: Columns<TrafficBacklog> = {
  service: 'service_name',
  client: 'client_name',
  batches: 'batches',
  bytes: 'bytes',
  'oldest from': ({ oldest_at: at }) => at ?? '-',
  'dropped by the host': 'dropped_batches',
  reported: 'reported_at',
};

function describeGaps({
  items,
  waiting,
  from,
  to,
}: {
  readonly items: readonly TrafficGap[];
  readonly waiting: readonly TrafficBacklog[];
  readonly from: string;
  readonly to: string;
}): string {
  const lost = items.length === 0 ? 'no requests were lost' : `${items.length} minutes with lost requests`;
  return [
    `${from} to ${to}: ${lost}`,
    ...(items.length === 0 ? [] : [renderTable(GAP_COLUMNS, items)]),
    ...(waiting.length === 0 ? [] : ['', 'waiting on hosts now', renderTable(WAITING_COLUMNS, waiting)]),
  ].join('\n');
}

function describeOverview(overview: TrafficOverview): string {
  const { from, to, totals, previous, status_classes: classes, sampled, limited } = overview;
  const before = previous === null ? '' : ` (${previous.requests} in the time before)`;
  const tables: [string, readonly TrafficGroup[] | null][] = [
    ['services', overview.top_services],
    ['consumers', overview.top_consumers],
    ['countries', overview.top_countries],
    ['user agents', overview.agent_kinds],
  ];
  const operations = overview.top_operations.map(({ method, host, normalized_path: path, operation, ...sums }) => ({
    value: [method, `${host}${path}`, operation].filter(Boolean).join(' '),
    label: null,
    ...sums,
  }));
  return [
    `${from} to ${to}`,
    `requests   ${totals.requests}${before}, ${overview.requests_per_s.toFixed(2)} per second${sampled ? ', corrected for sampling' : ''}`,
    ...describeDeleted(overview),
    `latency    p50 ${totals.p50_ms ?? '-'} ms, p95 ${totals.p95_ms ?? '-'} ms, p99 ${totals.p99_ms ?? '-'} ms`,
    `statuses   ${classes.map(({ status_class: name, requests }) => `${name} ${requests}`).join(', ')}`,
    `blocked    ${totals.blocked}`,
    ...(limited === null ? [] : [limited]),
    ...[['operations', operations] as const, ...tables].flatMap(([title, rows]) =>
      rows === null || rows.length === 0 ? [] : ['', title, renderTable(GROUP_COLUMNS, rows)],
    ),
  ].join('\n');
}

/** Opens the stream again after the last request whenever it breaks. Ends when the program is interrupted. */
async function follow(given: Given): Promise<ExitCode> {
  const { io } = given;
  let last: string | undefined;
  const seen = new Set<string>();
  while (!io.signal.aborted) {
    const response = await open(given, last);
    const ended = response && (await printStream(given, response, { seen, keep: (id) => (last = id) }));
    await sleep(ended === 'time' ? 0 : RETRY_MS, io.signal);
  }
  return EXIT.ok;
}

/** Undefined: the controller cannot be reached now. Throws if the stream has never been open, or the caller may not read it. */
async function open({ scope, io, request }: Given, last: string | undefined): Promise<Response | undefined> {
  const query = { ...request.query, ...(last !== undefined && { last_event_id: last }) };
  try {
    return await scope.connection.open(trafficEventRoutes.live, { query } as CallInput<typeof trafficEventRoutes.live>);
  } catch (error) {
    const isPassing = error instanceof CliFailure && error.exitCode === EXIT.unreachable;
    if (last === undefined || !isPassing || io.signal.aborted) throw error;
    return undefined;
  }
}

/** Ids of requests that may come a second time after a stream was opened again. */
const SEEN_MAX = 10_000;

async function printStream(
  { io, values }: Given,
  { body }: Response,
  { seen, keep }: { readonly seen: Set<string>; readonly keep: (id: string) => void },
): Promise<string | undefined> {
  try {
    for await (const { event, id, data } of readEvents(body ?? new ReadableStream())) {
      const content = JSON.parse(data) as { reason?: string; message?: string; requests?: number | null };
      if (event === 'end') return content.reason;
      if (event === 'problem') note(io, printable(content.message ?? ''));
      if (event === 'skipped')
        note(io, `${content.requests ?? 'Some'} requests were skipped: there are too many. Narrow the filters.`);
      if (event !== 'event' || id === undefined || seen.has(id)) continue;
      keep(id);
      if (seen.size >= SEEN_MAX) seen.clear();
      seen.add(id);
      print(io, values.json === true ? JSON.stringify(content) : renderLine(COLUMNS, content as TrafficEvent));
    }
  } catch (error) {
    if (!io.signal.aborted) note(io, `The connection broke (${printable((error as Error).message)}); trying again.`);
  }
  return undefined;
}
