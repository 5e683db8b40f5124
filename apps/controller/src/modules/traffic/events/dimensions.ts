import type { TrafficDimension, TrafficEvent } from '@flotilla/contract';
import { type Dimension, ROLLUP_DIMENSIONS } from '@flotilla/event-store';

type StatusClass = TrafficEvent['status_class'];

/** The columns of the store. */
export const COLUMN_OF: Readonly<Record<TrafficDimension, Dimension>> = {
  operation: 'operationId',
  service: 'service',
  client: 'client',
  listener: 'listener',
  method: 'method',
  host: 'host',
  path: 'path',
  status: 'status',
  status_class: 'statusClass',
  route: 'route',
  cluster: 'cluster',
  protocol: 'protocol',
  action: 'action',
  engine: 'engine',
  country: 'country',
  asn: 'asn',
  agent_kind: 'agentKind',
  auth_scheme: 'authScheme',
  tls_version: 'tlsVersion',
  content_type: 'contentType',
  response_flags: 'responseFlags',
  grpc_status: 'grpcStatus',
  consumer: 'consumer',
  source: 'source',
  user_agent: 'userAgent',
  risk_score: 'risk',
};

/** The columns that describe an operation, which all of its events share. */
export const OPERATION_COLUMNS = ['operationId', 'method', 'host', 'path', 'operation'] as const satisfies Dimension[];

/** Whether sums of minutes, hours and days have all of these columns. */
export function isInRollups(columns: readonly string[]): boolean {
  return columns.every((column) => ROLLUP_DIMENSIONS.has(column));
}

/** The bounds of the statuses of a class, inclusive. */
export const STATUS_BOUNDS: Readonly<Record<StatusClass, { readonly min: number; readonly max: number }>> = {
  '1xx': { min: 100, max: 199 },
  '2xx': { min: 200, max: 299 },
  '3xx': { min: 300, max: 399 },
  '4xx': { min: 400, max: 499 },
  '5xx': { min: 500, max: 65_535 },
  none: { min: 0, max: 99 },
};

export function statusClassOf(status: number): StatusClass {
  if (status < 100) return 'none';
  return `${Math.min(Math.floor(status / 100), 5)}xx` as StatusClass;
}

/** A value of the store as the API names it. */
export function toApiValue(by: TrafficDimension, value: string): string {
  return by === 'status_class' ? statusClassOf(Number(value)) : value;
}
