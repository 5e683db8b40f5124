import {
  TRAFFIC_AGENT_KINDS,
  type TrafficEvent,
  type TrafficFinding,
  type TrafficOperationGroup,
  type TrafficSums,
} from '@flotilla/contract';
import type { Group, Latencies, StoredEvent, Totals } from '@flotilla/event-store';
import { fromCategoryBits, fromFlagBits, fromMarkBits, fromPiiBits } from '@flotilla/inventory';
import { statusClassOf } from './dimensions.ts';
import type { Names } from './names-store.ts';

/** The gRPC status of events that have none. */
const NO_GRPC_STATUS = 255;
const AGENT_KINDS: ReadonlySet<string> = new Set(TRAFFIC_AGENT_KINDS);

const toMs = (us: number) => Math.round(us) / 1000;
const toShare = (count: number, requests: number) => (requests === 0 ? null : count / requests);
export const toTime = (ms: number) => new Date(ms).toISOString();
/** With one decimal; zero without requests. */
export const toPercentage = (count: number, requests: number) =>
  requests === 0 ? 0 : Math.round((count / requests) * 1000) / 10;

export function toSums(totals: Totals): TrafficSums {
  const { events, requests, clientErrors, serverErrors } = totals;
  return {
    events,
    requests,
    client_errors: clientErrors,
    server_errors: serverErrors,
    client_error_share: toShare(clientErrors, requests),
    server_error_share: toShare(serverErrors, requests),
    blocked: totals.blocked,
    request_bytes: totals.requestBytes,
    response_bytes: totals.responseBytes,
    response_bytes_max: totals.responseBytesMax,
    latency_avg_ms: requests === 0 ? null : toMs(totals.latencyUsSum / requests),
    latency_max_ms: requests === 0 ? null : toMs(totals.latencyUsMax),
    risk_max: totals.riskMax,
  };
}

export function toLatencies({ p50, p95, p99 }: Latencies) {
  const convert = (us: number | null) => (us === null ? null : toMs(us));
  return { p50_ms: convert(p50), p95_ms: convert(p95), p99_ms: convert(p99) };
}

/** `values` begin with those of `OPERATION_COLUMNS`. */
export function toOperationGroup(group: Group): TrafficOperationGroup {
  const [operationId = '', method = '', host = '', path = '', operation = ''] = group.values;
  return { operation_id: operationId, method, host, normalized_path: path, operation, ...toSums(group) };
}

export function toAgentKind(text: string): TrafficEvent['agent_kind'] {
  return AGENT_KINDS.has(text) ? (text as TrafficEvent['agent_kind']) : 'unknown';
}

export const toEventId = ({ timeMs, id }: Pick<StoredEvent, 'timeMs' | 'id'>) => `${timeMs}.${id}`;

export interface EventFacts {
  readonly names: Names;
  readonly findings: ReadonlyMap<string, readonly TrafficFinding[]>;
}

export function toEvent(event: StoredEvent, { names, findings }: EventFacts): TrafficEvent {
  return {
    id: toEventId(event),
    time: toTime(event.timeMs),
    operation_id: event.operationId,
    method: event.method,
    host: event.host,
    normalized_path: event.path,
    operation: event.operation,
    service_id: event.service,
    service_name: names.get(event.service) ?? null,
    client_id: event.client,
    client_name: names.get(event.client) ?? null,
    listener_name: event.listener,
    ...toMarked(event),
    ...toConversation(event),
    ...toSender(event),
    ...toVerdict(event),
    sample_weight: event.weight,
    findings: [...(findings.get(event.requestId) ?? [])],
  };
}

function toMarked({ marks }: StoredEvent) {
  const set = new Set(fromMarkBits(marks));
  const isAuthenticated = set.has('authenticated');
  return {
    clock_off: set.has('clock'),
    confirmed: set.has('confirmed'),
    authenticated: isAuthenticated || set.has('anonymous') ? isAuthenticated : null,
    origin: toOrigin(set.has('internalSource'), set.has('externalSource')),
  };
}

function toOrigin(isInternal: boolean, isExternal: boolean): 'internal' | 'external' | null {
  if (isInternal) return 'internal';
  return isExternal ? 'external' : null;
}

function toConversation(event: StoredEvent) {
  return {
    protocol: event.protocol,
    route: event.route,
    cluster: event.cluster,
    status: event.status,
    status_class: statusClassOf(event.status),
    grpc_status: event.grpcStatus === NO_GRPC_STATUS ? null : event.grpcStatus,
    latency_ms: toMs(event.latencyUs),
    request_bytes: event.requestBytes,
    response_bytes: event.responseBytes,
    response_flags: event.responseFlags,
    content_type: event.contentType,
    request_id: event.requestId,
  };
}

function toSender(event: StoredEvent) {
  return {
    consumer: event.consumer,
    source: event.source,
    user_agent: event.userAgent,
    object: event.object,
    country: event.country,
    asn: event.asn === 0 ? null : event.asn,
    agent_kind: toAgentKind(event.agentKind),
    auth_scheme: event.authScheme,
    tls_version: event.tlsVersion,
  };
}

function toVerdict(event: StoredEvent) {
  return {
    action: event.action,
    engine: event.engine,
    risk_score: event.risk,
    exposure_score: event.exposure,
    risk_flags: fromFlagBits(event.flags),
    pii_categories: fromPiiBits(event.pii),
    endpoint_categories: fromCategoryBits(event.categories),
  };
}
