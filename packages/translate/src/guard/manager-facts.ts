import { type EnvoyApi, isJsonObject, type JsonObject, type JsonValue, typeNameOfUrl } from '@flotilla/envoy-api';
import { MESSAGE } from '../documents/collections.ts';
import type { TranslationError } from '../types.ts';
import { boundStreams, bufferOf, listOf, streamWindowOf, widenStreams } from './connection-manager.ts';
import type { PolicyCoverage } from './coverage.ts';
import { type SwitchedOff, switchOff } from './switch-off.ts';

type PlacedProblem = Omit<TranslationError, 'document'>;

/** Properties of one connection manager, after protection and expansion. */
export interface ManagerFacts {
  /** JSON path inside its document; empty for the document itself. */
  readonly path: string;
  readonly manager: JsonObject;
  /** The enclosing listener, if any. */
  readonly listener: JsonObject | undefined;
  /** Name of the route configuration that it loads by RDS. */
  readonly routes: string | undefined;
  /** Why the filter must be asked about every request; empty if routes may disable it. */
  readonly reasons: readonly string[];
  /** Bytes of a request body that the listener buffers. */
  readonly bufferBytes: number;
  /** Bytes of a body that are buffered in any protocol: an HTTP/2 stream may have a lower limit. */
  readonly bodyBytes: number;
}

/** The properties that nodes need. */
export type ManagerSummary = Pick<ManagerFacts, 'path' | 'routes' | 'reasons'>;

const HTTP = 'envoy.extensions.filters.http';

/** Filters that change neither path nor host and do not clear the chosen route. This is unknown for others. */
const KEEP_THE_ROUTE: ReadonlySet<string> = new Set([
  `${HTTP}.router.v3.Router`,
  `${HTTP}.cors.v3.Cors`,
  `${HTTP}.csrf.v3.CsrfPolicy`,
  `${HTTP}.fault.v3.HTTPFault`,
  `${HTTP}.buffer.v3.Buffer`,
  `${HTTP}.compressor.v3.Compressor`,
  `${HTTP}.decompressor.v3.Decompressor`,
  `${HTTP}.grpc_stats.v3.FilterConfig`,
  `${HTTP}.grpc_web.v3.GrpcWeb`,
  `${HTTP}.health_check.v3.HealthCheck`,
  `${HTTP}.local_ratelimit.v3.LocalRateLimit`,
  `${HTTP}.ratelimit.v3.RateLimit`,
  `${HTTP}.rbac.v3.RBAC`,
  `${HTTP}.bandwidth_limit.v3.BandwidthLimit`,
  `${HTTP}.admission_control.v3.AdmissionControl`,
  `${HTTP}.adaptive_concurrency.v3.AdaptiveConcurrency`,
]);

/**
 * Fields of a connection manager with which the chosen route depends on more than the host and path that the filter
 * sees.
 */
const CHOOSES_ROUTES = ['scoped_routes', 'upgrade_configs', 'typed_header_validation_config'] as const;

/** All connection managers of a listener or bootstrap. */
export function findManagers(api: EnvoyApi, type: string, resource: JsonObject): ManagerFacts[] {
  const found: ManagerFacts[] = [];
  const listeners: { path: string; listener: JsonObject }[] = [];
  api.walk(type, resource, {
    message: ({ path, typeName, value }) => {
      if (!isJsonObject(value)) return undefined;
      if (typeName === MESSAGE.listener) listeners.push({ path, listener: value });
      if (typeName !== MESSAGE.connectionManager) return undefined;
      const listener = listeners.findLast((one) => path.startsWith(one.path))?.listener;
      const buffer = bufferOf(listener ?? {});
      const rds = isJsonObject(value.rds) ? value.rds.route_config_name : undefined;
      found.push({
        path,
        manager: value,
        listener,
        routes: typeof rds === 'string' ? rds : undefined,
        reasons: findReasons(value),
        bufferBytes: buffer,
        bodyBytes: Math.min(buffer, streamWindowOf(value)),
      });
      return undefined;
    },
  });
  return found;
}

function findReasons(manager: JsonObject): string[] {
  const reasons: string[] = [];
  if (manager.path_with_escaped_slashes_action !== 'REJECT_REQUEST')
    reasons.push('path_with_escaped_slashes_action is not REJECT_REQUEST');
  if (manager.normalize_path !== true || manager.merge_slashes !== true) reasons.push('paths are not normalised');
  if (manager.strip_any_host_port !== true) reasons.push('strip_any_host_port is not true');
  for (const field of CHOOSES_ROUTES) {
    const value = manager[field];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) reasons.push(`${field} is set`);
  }
  // The first one is ours, here and below.
  if (listOf(manager.early_header_mutation_extensions).length > 1)
    reasons.push('early_header_mutation_extensions is set');
  for (const filter of listOf(manager.http_filters).slice(1)) {
    const types = typesOf(filter);
    if (types.length > 0 && types.every((type) => KEEP_THE_ROUTE.has(type))) continue;
    const name = isJsonObject(filter) ? String(filter.name) : '';
    reasons.push(`the filter ${name} is not known to keep the route`);
  }
  return reasons;
}

function typesOf(filter: JsonValue): string[] {
  if (!isJsonObject(filter)) return [];
  const { typed_config: config, config_discovery: discovery } = filter;
  if (isJsonObject(config)) return [typeNameOfUrl(String(config['@type'])) ?? ''];
  return isJsonObject(discovery) ? listOf(discovery.type_urls).map((url) => typeNameOfUrl(String(url)) ?? '') : [];
}

/** The filter accepts no larger message. */
const BUFFER_MAX_BYTES = 16 * 1024 * 1024;

/**
 * A filter that waits for bodies up to a size needs a listener with a larger buffer: Envoy passes only part of a larger
 * body, and a part may look different from the whole. A smaller buffer is reported and raised in what is sent, so that
 * the policy is enforced until somebody fixes it. If HTTP/2 stream windows are not set, they get the size of the
 * listener's buffer. Changes managers and listeners in place.
 */
export function checkBuffers(managers: readonly ManagerFacts[], coverage: PolicyCoverage): PlacedProblem[] {
  const { largestBody } = coverage;
  if (largestBody === undefined) return [];
  const { bytes, policy } = largestBody;
  const enough = Math.min(bytes + 1, BUFFER_MAX_BYTES);
  return managers.flatMap(({ path, manager, listener, bufferBytes, bodyBytes }) => {
    boundStreams(manager, Math.max(bufferBytes, enough));
    if (bytes < bodyBytes) return [];
    if (listener && bufferBytes < enough) listener.per_connection_buffer_limit_bytes = enough;
    widenStreams(manager, enough);
    const message = `holds ${bodyBytes} bytes of a request's body, and policy ${policy} inspects bodies of up to ${bytes}: set per_connection_buffer_limit_bytes of the listener (and http2_protocol_options.initial_stream_window_size, where it is set) to more than ${bytes}, or lower the policy's max_request_body_bytes; until then it is sent with ${enough}`;
    return [{ path, rule: 'shield.body_cap', message }];
  });
}

/** Disables the filter in inline routes of connection managers, in place. */
export function switchInlineRoutesOff(
  managers: readonly ManagerFacts[],
  coverage: PolicyCoverage,
): SwitchedOff | undefined {
  const done = managers.flatMap(({ manager, reasons }) => {
    if (reasons.length > 0 || !isJsonObject(manager.route_config)) return [];
    const switched = switchOff(manager.route_config, coverage);
    if (switched) manager.route_config = { ...manager.route_config, virtual_hosts: [...switched.virtualHosts] };
    return switched ?? [];
  });
  return done.length === 0
    ? undefined
    : {
        virtualHosts: [],
        hostCount: done.reduce((sum, { hostCount }) => sum + hostCount, 0),
        routeCount: done.reduce((sum, { routeCount }) => sum + routeCount, 0),
      };
}
