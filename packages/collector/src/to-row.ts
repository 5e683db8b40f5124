import { type Bits64, type ChunkRow, NO_BITS } from '@flotilla/event-store/chunk';
import { EVENT_MARKS, type SensitiveKind, toPiiBits } from '@flotilla/inventory';
import type { FlagCombination } from './flag-set.ts';
import type { RequestFacts } from './request-facts.ts';

interface Added {
  readonly source: Bits64;
  readonly userAgent: Bits64;
  readonly flags: FlagCombination;
  readonly weight: number;
  readonly from: { readonly service: string; readonly client: string; readonly listener: string };
}

export function createRow(): ChunkRow {
  return {
    timeMs: 0,
    service: '',
    client: '',
    listener: '',
    protocol: '',
    method: '',
    host: '',
    path: '',
    operation: '',
    route: '',
    cluster: '',
    responseFlags: '',
    country: '',
    agentKind: '',
    authScheme: '',
    tlsVersion: '',
    contentType: '',
    action: '',
    engine: '',
    status: 0,
    grpcStatus: 0,
    latencyUs: 0,
    requestBytes: 0,
    responseBytes: 0,
    asn: 0,
    risk: 0,
    exposure: 0,
    weight: 1,
    flags: NO_BITS,
    pii: 0,
    categories: 0,
    marks: 0,
    operationId: NO_BITS,
    consumer: NO_BITS,
    source: NO_BITS,
    userAgent: NO_BITS,
    object: NO_BITS,
    requestId: '',
  };
}

/** Fills the row with the event as the store keeps it: nothing in it is secret or raw. */
export function fillRow(
  row: ChunkRow,
  facts: RequestFacts,
  { source, userAgent, flags, weight, from }: Added,
): ChunkRow {
  const { entry, operation } = facts;
  const { identity } = operation;
  // The store recognises times that no clock can have shown.
  row.timeMs = entry.timeMs;
  row.service = from.service;
  row.client = from.client;
  row.listener = from.listener;
  row.protocol = entry.protocol;
  row.method = identity.method;
  row.host = identity.host;
  row.path = identity.normalizedPath;
  row.operation = operation.label;
  row.route = entry.route;
  row.cluster = entry.cluster;
  row.responseFlags = entry.responseFlags;
  row.country = facts.source.country;
  row.agentKind = facts.agentKind;
  row.authScheme = entry.auth;
  row.tlsVersion = entry.tlsVersion;
  row.contentType = entry.contentType;
  row.action = entry.action;
  row.engine = entry.engine;
  row.status = entry.status;
  row.grpcStatus = entry.grpcStatus;
  row.latencyUs = entry.latencyUs;
  row.requestBytes = entry.requestBytes;
  row.responseBytes = entry.responseBytes;
  row.asn = facts.source.asn;
  row.risk = flags.threat;
  row.exposure = flags.exposure;
  row.weight = weight;
  row.flags = flags.bits;
  row.pii = facts.pii.length === 0 ? 0 : toPiiMask(facts.pii);
  row.categories = operation.categoryBits;
  row.marks = toMarks(facts);
  row.operationId = operation.idBits;
  row.consumer = facts.consumerHash;
  row.source = source;
  row.userAgent = userAgent;
  row.object = facts.object;
  row.requestId = entry.requestId;
  return row;
}

/** The number that has these bits, each below 31. */
export function toMask(bits: readonly number[]): number {
  return bits.reduce((mask, bit) => mask | (1 << bit), 0);
}

const toPiiMask = (kinds: readonly SensitiveKind[]) => toMask(toPiiBits(kinds));

function toMarks({ isConfirmed, isAnonymous, source, entry }: RequestFacts): number {
  let marks = isConfirmed ? 1 << EVENT_MARKS.confirmed : 0;
  if (isAnonymous) marks |= 1 << EVENT_MARKS.anonymous;
  else if (entry.auth !== 'none') marks |= 1 << EVENT_MARKS.authenticated;
  if (source.isKnown) marks |= 1 << (source.isInternal ? EVENT_MARKS.internalSource : EVENT_MARKS.externalSource);
  return marks;
}
