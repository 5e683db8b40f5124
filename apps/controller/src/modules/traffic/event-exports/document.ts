import type { StoredEvent } from '@flotilla/event-store';
import { fromCategoryBits, fromFlagBits, fromMarkBits, fromPiiBits } from '@flotilla/inventory';
import type { FindingRow } from './finding-store.ts';

/** Raised when a member changes its meaning or goes away. New members may come at any time. */
export const DOCUMENT_VERSION = 1;
const NO_GRPC_STATUS = 255;

const DECISIONS: Readonly<Record<string, 'blocked' | 'detected'>> = { block: 'blocked', detect: 'detected' };

/** A request as receivers get it. It has templates of paths and keyed hashes, and no address, query, body or credential. */
export function toRequestDocument(projectId: string, event: StoredEvent) {
  const marks = new Set(fromMarkBits(event.marks));
  return {
    version: DOCUMENT_VERSION,
    kind: 'request' as const,
    id: `${event.timeMs}.${event.id}`,
    time: new Date(event.timeMs).toISOString(),
    clock_off: marks.has('clock'),
    project_id: projectId,
    decision: DECISIONS[event.action] ?? ('allowed' as const),
    engine: event.engine,
    service_id: event.service,
    client_id: event.client,
    listener: event.listener,
    method: event.method,
    host: event.host,
    path: event.path,
    operation: event.operation,
    operation_id: event.operationId,
    route: event.route,
    cluster: event.cluster,
    protocol: event.protocol,
    tls_version: event.tlsVersion,
    status: event.status,
    grpc_status: event.grpcStatus === NO_GRPC_STATUS ? null : event.grpcStatus,
    response_flags: event.responseFlags,
    latency_ms: Math.round(event.latencyUs) / 1000,
    request_bytes: event.requestBytes,
    response_bytes: event.responseBytes,
    risk: event.risk,
    exposure: event.exposure,
    flags: fromFlagBits(event.flags),
    personal_data: fromPiiBits(event.pii),
    categories: fromCategoryBits(event.categories),
    confirmed: marks.has('confirmed'),
    auth_scheme: event.authScheme,
    consumer_hash: event.consumer,
    source_hash: event.source,
    user_agent_hash: event.userAgent,
    agent_kind: event.agentKind,
    country: event.country,
    asn: event.asn === 0 ? null : event.asn,
    request_id: event.requestId,
    weight: event.weight,
  };
}

/** A report of a filter about a request. `request_id` is that of the request's own document. */
export function toFindingDocument(projectId: string, finding: FindingRow) {
  const { id, time, service_id, client_id, request_id, method, host, policy, route, engine, reason } = finding;
  return {
    version: DOCUMENT_VERSION,
    kind: 'finding' as const,
    id,
    time: time.toISOString(),
    project_id: projectId,
    decision: finding.verdict === 'blocked' ? ('blocked' as const) : ('detected' as const),
    verdict: finding.verdict,
    severity: finding.severity,
    policy,
    route,
    engine,
    reason,
    service_id,
    client_id,
    method,
    host,
    status: finding.status,
    request_id,
    bundle_digest: finding.digest,
  };
}

/** Sent by people to see whether a receiver works. It is about nothing that happened. */
export function toTestDocument(projectId: string, { at, by }: { readonly at: Date; readonly by: string }) {
  return { version: DOCUMENT_VERSION, kind: 'test' as const, time: at.toISOString(), project_id: projectId, by };
}

type TestDocument = ReturnType<typeof toTestDocument>;
export type EventDocument = ReturnType<typeof toRequestDocument> | ReturnType<typeof toFindingDocument> | TestDocument;
