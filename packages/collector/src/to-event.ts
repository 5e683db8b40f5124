import type { RequestEvent } from '@flotilla/event-store';
import {
  EVENT_MARKS,
  type RiskFlag,
  type RiskScores,
  toCategoryBits,
  toFlagBits,
  toPiiBits,
} from '@flotilla/inventory';
import type { RequestFacts } from './request-facts.ts';

interface Added extends RiskScores {
  readonly source: string;
  readonly userAgent: string;
  readonly flags: ReadonlySet<RiskFlag>;
  readonly weight: number;
  readonly from: { readonly service: string; readonly client: string; readonly listener: string };
}

/** The event as the store keeps it: nothing in it is secret or raw. */
export function toEvent(
  facts: RequestFacts,
  { source, userAgent, flags, threat, exposure, weight, from }: Added,
): RequestEvent {
  const { entry, operation } = facts;
  const { identity } = operation;
  const { rpc } = identity;
  return {
    // The store recognises times that no clock can have shown.
    timeMs: entry.timeMs,
    service: from.service,
    client: from.client,
    listener: from.listener,
    protocol: entry.protocol,
    method: identity.method,
    host: identity.host,
    path: identity.normalizedPath,
    operation: rpc?.protocol === 'grpc' ? `${rpc.service}/${rpc.method}` : operation.operation,
    route: entry.route,
    cluster: entry.cluster,
    responseFlags: entry.responseFlags,
    country: facts.source.country,
    agentKind: facts.agentKind,
    authScheme: entry.auth,
    tlsVersion: entry.tlsVersion,
    contentType: entry.contentType,
    action: entry.action,
    engine: entry.engine,
    status: entry.status,
    grpcStatus: entry.grpcStatus,
    latencyUs: entry.latencyUs,
    requestBytes: entry.requestBytes,
    responseBytes: entry.responseBytes,
    asn: facts.source.asn,
    risk: threat,
    exposure,
    weight,
    flags: toFlagBits(flags),
    pii: facts.pii.length === 0 ? NONE : toPiiBits(facts.pii),
    categories: operation.categories.size === 0 ? NONE : toCategoryBits(operation.categories),
    marks: toMarks(facts),
    operationId: operation.id,
    consumer: facts.consumer,
    source,
    userAgent,
    object: facts.object,
    requestId: entry.requestId,
  };
}

const NONE: readonly number[] = [];

function toMarks({ isConfirmed, isAnonymous, source, entry }: RequestFacts): number[] {
  const marks: number[] = [];
  if (isConfirmed) marks.push(EVENT_MARKS.confirmed);
  if (isAnonymous) marks.push(EVENT_MARKS.anonymous);
  else if (entry.auth !== 'none') marks.push(EVENT_MARKS.authenticated);
  if (source.isKnown) marks.push(source.isInternal ? EVENT_MARKS.internalSource : EVENT_MARKS.externalSource);
  return marks;
}
