import { type EnvoyApi, isJsonObject, type JsonObject, type JsonValue, typeNameOfUrl } from '@flotilla/envoy-api';
import { MESSAGE } from '../documents/collections.ts';
import type { TranslationError } from '../types.ts';
import { boundStreams, bufferOf, listOf, streamWindowOf, widenStreams } from './connection-manager.ts';
import type { PolicyCoverage } from './coverage.ts';
import { type SwitchedOff, switchOff } from './switch-off.ts';

type PlacedProblem = Omit<TranslationError, 'document'>;

/** What is known of one connection manager, guarded and complete. */
export interface ManagerFacts {
  /** JSON path inside its document; empty for the document itself. */
  readonly path: string;
  readonly manager: JsonObject;
  /** The listener around it; undefined where it stands by itself. */
  readonly listener: JsonObject | undefined;
  /** Name of the route configuration that it takes by RDS. */
  readonly routes: string | undefined;
  /** Why the filter has to be asked about every request; empty where routes may switch it off. */
  readonly reasons: readonly string[];
  /** What the listener holds of a request's body, in bytes. */
  readonly bufferBytes: number;
  /** What is held of a body whatever the protocol: a stream of HTTP/2 may be given less. */
  readonly bodyBytes: number;
}

const HTTP = 'envoy.extensions.filters.http';

/** Filters that neither change path or host nor clear the route that was chosen. Others are not known to be so. */
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

/** Fields of a connection manager that make what route is chosen depend on more than host and path as the filter sees them. */
const CHOOSES_ROUTES = ['scoped_routes', 'upgrade_configs', 'typed_header_validation_config'] as const;

/** Every connection manager of a listener or bootstrap. */
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
  // The first is ours, here and below.
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

/** More than this the filter takes in no message. */
const BUFFER_MAX_BYTES = 16 * 1024 * 1024;

/**
 * A filter that waits for bodies up to some size needs a listener that holds more than that: of a larger body Envoy hands
 * over a part, and a part may look like something else than the whole. A listener that holds less is a problem to be told,
 * and until somebody solves it, what is sent holds enough: the policy was written to be kept. Where nothing is said about
 * streams of HTTP/2, they are given what the listener holds. Changes what managers and listeners say, in place.
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

/** Switches the filter off in the routes that connection managers bring themselves. Changes them in place. */
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
