import type { TrafficFilter } from '@flotilla/contract';
import type { Condition, Counts, HashColumn, NumberColumn, WordColumn } from '@flotilla/event-store';
import { CATEGORY_BITS, EVENT_MARKS, type EventMark, PII_BITS, RISK_FLAGS, type RiskFlag } from '@flotilla/inventory';
import ipaddr from 'ipaddr.js';
import { STATUS_BOUNDS } from './dimensions.ts';
import type { HashFor, KeyedHash } from './source.ts';

export interface AppliedFilter {
  readonly conditions: readonly Condition[];
  /** Values by parameter, as the caller gave them. */
  readonly applied: Readonly<Record<string, string[]>>;
  /** Ids of the keys whose hashes are searched; null: no filter needs a hash. */
  readonly keyIds: readonly string[] | null;
}

type Names = keyof TrafficFilter;
const IN: readonly (readonly [Names, WordColumn | HashColumn | 'requestId'])[] = [
  ['operation_id', 'operationId'],
  ['service_id', 'service'],
  ['client_id', 'client'],
  ['method', 'method'],
  ['host_is', 'host'],
  ['path_is', 'path'],
  ['listener_is', 'listener'],
  ['request_id', 'requestId'],
  ['route', 'route'],
  ['cluster', 'cluster'],
  ['protocol', 'protocol'],
  ['action', 'action'],
  ['engine', 'engine'],
  ['country', 'country'],
  ['agent_kind', 'agentKind'],
  ['auth_scheme', 'authScheme'],
  ['tls_version', 'tlsVersion'],
  ['content_type', 'contentType'],
  ['response_flags', 'responseFlags'],
  ['consumer', 'consumer'],
  ['source', 'source'],
  ['user_agent_hash', 'userAgent'],
];
const PREFIX: readonly (readonly [Names, WordColumn])[] = [
  ['host', 'host'],
  ['normalized_path', 'path'],
  ['listener_name', 'listener'],
];
const NUMBERS: readonly (readonly [Names, NumberColumn])[] = [
  ['status', 'status'],
  ['asn', 'asn'],
  ['grpc_status', 'grpcStatus'],
];

/** Reads the filters of a request. Hashes that events cannot have give a condition that no event meets. */
export async function readFilter(
  filter: TrafficFilter,
  { projectId, hashFor }: { readonly projectId: string; readonly hashFor: HashFor },
): Promise<AppliedFilter> {
  const hashed = await readHashes(filter, projectId, hashFor);
  return {
    conditions: [
      ...IN.flatMap(([name, column]) => valuesOf(filter, name, (values) => ({ column, in: values }) as Condition)),
      ...PREFIX.flatMap(([name, column]) => (isText(filter[name]) ? { column, prefix: filter[name] } : [])),
      ...NUMBERS.flatMap(([name, column]) =>
        valuesOf(filter, name, (values) => ({
          column,
          ranges: values.map((value) => ({ min: Number(value), max: Number(value) })),
        })),
      ),
      ...readBounds(filter),
      ...readBits(filter),
      ...hashed.conditions,
    ],
    applied: toApplied(filter),
    keyIds: hashed.keyIds,
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

function valuesOf(filter: TrafficFilter, name: Names, toCondition: (values: string[]) => Condition): Condition[] {
  const values = filter[name];
  return Array.isArray(values) ? [toCondition(values)] : [];
}

function readBounds(filter: TrafficFilter): Condition[] {
  const { min_latency_ms: minLatency, max_latency_ms: maxLatency } = filter;
  const bounds: [NumberColumn, number | undefined, number | undefined][] = [
    ['status', filter.status_min, filter.status_max],
    ['risk', filter.min_risk_score, filter.max_risk_score],
    ['exposure', filter.min_exposure_score, undefined],
    ['latencyUs', toMicroseconds(minLatency), toMicroseconds(maxLatency)],
    ['responseBytes', filter.min_response_bytes, undefined],
  ];
  const conditions = bounds.flatMap(([column, min, max]): Condition[] => {
    if (min === undefined && max === undefined) return [];
    return [{ column, ...(min !== undefined && { min }), ...(max !== undefined && { max }) }];
  });
  const { status_class: classes } = filter;
  if (classes !== undefined) {
    conditions.push({ column: 'status', ranges: classes.map((name) => STATUS_BOUNDS[name]) });
  }
  return conditions;
}

function readBits({ risk_flag: flags, pii_category: pii, endpoint_category: categories, ...filter }: TrafficFilter) {
  const conditions: Condition[] = [];
  if (flags !== undefined) conditions.push(hasFlag(...flags));
  if (pii !== undefined) conditions.push({ column: 'pii', any: pii.map((name) => PII_BITS.indexOf(name)) });
  if (categories !== undefined) {
    conditions.push({ column: 'categories', any: categories.map((name) => CATEGORY_BITS.indexOf(name)) });
  }
  const marks: [boolean | undefined, EventMark, EventMark?][] = [
    [toBoolean(filter.confirmed), 'confirmed'],
    [toBoolean(filter.clock_off), 'clock'],
    [toBoolean(filter.authenticated), 'authenticated', 'anonymous'],
  ];
  for (const [wanted, mark, opposite] of marks) {
    if (wanted === true) conditions.push(hasMark(mark));
    if (wanted === false) conditions.push(opposite === undefined ? { ...hasMark(mark), not: true } : hasMark(opposite));
  }
  const { origin } = filter;
  if (origin !== undefined) {
    const names = origin.map((one) => (one === 'internal' ? 'internalSource' : 'externalSource'));
    conditions.push(hasMark(...names));
  }
  return conditions;
}

/** Rounded, because a number of milliseconds such as 0.065 is not exact. */
const toMicroseconds = (ms: number | undefined) => (ms === undefined ? undefined : Math.round(ms * 1000));
const toBoolean = (value: string | undefined) => (value === undefined ? undefined : value === 'true');

/** The events that have one of the flags. */
export function hasFlag(...flags: readonly RiskFlag[]): Condition {
  return { column: 'flags', any: flags.map((flag) => RISK_FLAGS[flag].bit) };
}

/** The events that have one of the marks. */
export function hasMark(...marks: readonly EventMark[]): Condition {
  return { column: 'marks', any: marks.map((mark) => EVENT_MARKS[mark]) };
}

/** Requests by status class. */
export const STATUS_CLASS_COUNTS: Counts = Object.fromEntries(
  Object.entries(STATUS_BOUNDS).map(([name, bounds]) => [name, [{ column: 'status', ...bounds }]]),
);

async function readHashes(
  { source_ip: addresses, user_agent: agents }: TrafficFilter,
  projectId: string,
  hashFor: HashFor,
): Promise<Pick<AppliedFilter, 'conditions' | 'keyIds'>> {
  if (addresses === undefined && agents === undefined) return { conditions: [], keyIds: null };
  const conditions: Condition[] = [];
  const keyIds = new Set<string>();
  const add = async (column: HashColumn & ('source' | 'userAgent'), values: readonly string[] | undefined) => {
    if (values === undefined) return;
    // Proxies write addresses in their shortest form.
    const texts = column === 'source' ? values.flatMap((value) => [value, ipaddr.parse(value).toString()]) : values;
    const hashes: KeyedHash[] = (
      await Promise.all([...new Set(texts)].map((value) => hashFor(projectId, column, value)))
    ).flat();
    for (const { keyId } of hashes) keyIds.add(keyId);
    conditions.push({ column, in: hashes.map(({ hash }) => hash) });
  };
  await add('source', addresses);
  await add('userAgent', agents);
  return { conditions, keyIds: [...keyIds] };
}

function toApplied(filter: TrafficFilter): Record<string, string[]> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, (Array.isArray(value) ? value : [value]).map((one) => String(one))]),
  );
}
