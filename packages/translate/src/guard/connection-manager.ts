import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import {
  type EffectiveDomain,
  ENVOY_BUFFER_DEFAULT_BYTES,
  shieldClusterConfig,
  shieldConnectionManagerFields,
  shieldFilterConfig,
  shieldThreadAddresses,
} from '@flotilla/policy';
import { SHIELD_HTTP_FILTER_NAME } from '../documents/reserved.ts';

/** The policies of a service, as the filter loads them. */
export interface GuardedPolicies {
  /** Equal digests mean equal policies. */
  readonly digest: string;
  readonly domains: readonly EffectiveDomain[];
}

/** The address of a service's filter, and how many proxies in front of it are trusted. */
export interface ShieldPlacement {
  /** Socket of the first thread; `shieldThreadAddress` derives those of the others. */
  readonly socket: string;
  readonly threads: number;
  readonly xffTrustedHops: number;
  /** Undefined if unknown: the filter is then asked about every request. */
  readonly policies: GuardedPolicies | undefined;
}

/** PathWithEscapedSlashesAction in http_connection_manager.proto. */
const REJECT_REQUEST: readonly JsonValue[] = ['REJECT_REQUEST', 2];

/**
 * Makes the request filter the first in a connection manager, including the filter chains of upgrades (a WebSocket
 * would bypass it), and makes Envoy, filter and upstream see the same request. The document may set where the peer's
 * address comes from, but not how a path is read, because a policy would be asked about another path than the upstream.
 * It may only be stricter than our settings: a document may reject escaped slashes.
 */
export function guardConnectionManager(manager: JsonObject, shield: ShieldPlacement): void {
  const {
    use_remote_address,
    xff_num_trusted_hops,
    http2_protocol_options: _window,
    early_header_mutation_extensions,
    ...path
  } = shieldConnectionManagerFields({
    xffTrustedHops: shield.xffTrustedHops,
  }) as JsonObject;
  if (manager.use_remote_address === undefined && use_remote_address !== undefined) {
    manager.use_remote_address = use_remote_address;
    if (manager.xff_num_trusted_hops === undefined && xff_num_trusted_hops !== undefined) {
      manager.xff_num_trusted_hops = xff_num_trusted_hops;
    }
  }
  const given = manager.path_with_escaped_slashes_action;
  Object.assign(manager, path);
  if (given !== undefined && REJECT_REQUEST.includes(given))
    manager.path_with_escaped_slashes_action = 'REJECT_REQUEST';
  // Would give the filters another path than the upstream.
  delete manager.path_normalization_options;
  // The filter counts from the right end of X-Forwarded-For, where Envoy must have put its peer.
  delete manager.skip_xff_append;
  // The document's own mutations come first, so they apply.
  manager.early_header_mutation_extensions = [
    ...listOf(structuredClone(early_header_mutation_extensions)),
    ...listOf(manager.early_header_mutation_extensions),
  ];
  manager.http_filters = [shieldFilter(), ...listOf(manager.http_filters)];
  for (const upgrade of listOf(manager.upgrade_configs)) {
    if (isJsonObject(upgrade) && listOf(upgrade.filters).length > 0) {
      upgrade.filters = [shieldFilter(), ...listOf(upgrade.filters)];
    }
  }
}

/** Bytes that an HTTP/2 stream accepts before the filter has seen them; see `shieldConnectionManagerFields`. */
export function streamWindowOf(manager: JsonObject): number {
  const options = isJsonObject(manager.http2_protocol_options) ? manager.http2_protocol_options : {};
  const window = Number(options.initial_stream_window_size);
  return Number.isFinite(window) && window > 0 ? window : Number.POSITIVE_INFINITY;
}

/** RFC 9113 section 6.5.2; Envoy accepts no window below the initial one of HTTP/2. */
const STREAM_WINDOW_MIN_BYTES = 65_535;
const STREAM_WINDOW_MAX_BYTES = 2 ** 31 - 1;

/** Sets the HTTP/2 stream window to the listener's buffer, unless the document sets it. */
export function boundStreams(manager: JsonObject, bufferBytes: number): void {
  if (streamWindowOf(manager) !== Number.POSITIVE_INFINITY) return;
  const window = Math.max(STREAM_WINDOW_MIN_BYTES, Math.min(STREAM_WINDOW_MAX_BYTES, bufferBytes));
  const own = isJsonObject(manager.http2_protocol_options) ? manager.http2_protocol_options : {};
  manager.http2_protocol_options = { ...own, initial_stream_window_size: window };
}

/** Raises the HTTP/2 stream window to at least this many bytes. */
export function widenStreams(manager: JsonObject, bytes: number): void {
  if (streamWindowOf(manager) >= bytes || !isJsonObject(manager.http2_protocol_options)) return;
  const window = Math.max(STREAM_WINDOW_MIN_BYTES, bytes);
  manager.http2_protocol_options = { ...manager.http2_protocol_options, initial_stream_window_size: window };
}

/** Bytes of a request body that a listener buffers; 0 in the document means unlimited. */
export function bufferOf(listener: JsonObject): number {
  const given = listener.per_connection_buffer_limit_bytes;
  if (given === undefined || given === null) return ENVOY_BUFFER_DEFAULT_BYTES;
  return Number(given) === 0 ? Number.POSITIVE_INFINITY : Number(given);
}

/** Uses its own name, because per-route configuration under Envoy's usual name must not disable it. */
function shieldFilter(): JsonObject {
  return { ...structuredClone(shieldFilterConfig() as JsonObject), name: SHIELD_HTTP_FILTER_NAME };
}

export function shieldCluster(shield: ShieldPlacement): JsonObject {
  const addresses = shieldThreadAddresses({ kind: 'unix', path: shield.socket }, shield.threads);
  return shieldClusterConfig(addresses) as JsonObject;
}

export function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
