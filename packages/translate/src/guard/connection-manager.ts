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

/** What the policies of a service guard, as the filter loads them. */
export interface GuardedPolicies {
  /** Equal digests mean equal policies. */
  readonly digest: string;
  readonly domains: readonly EffectiveDomain[];
}

/** Where the filter of a service listens, and how many proxies in front of it may be believed. */
export interface ShieldPlacement {
  /** Of the first thread; `shieldThreadAddress` names those of the others. */
  readonly socket: string;
  readonly threads: number;
  readonly xffTrustedHops: number;
  /** Undefined where they are not known: then the filter is asked about every request. */
  readonly policies: GuardedPolicies | undefined;
}

/** PathWithEscapedSlashesAction in http_connection_manager.proto. */
const REJECT_REQUEST: readonly JsonValue[] = ['REJECT_REQUEST', 2];

/**
 * Puts the request filter first into a connection manager, also into the chains of upgrades (a WebSocket would walk past it),
 * and makes Envoy, filter and upstream see one and the same request. Where the peer's address comes from may be set in the
 * document; how a path is read may not, since a policy would be asked about another path than the upstream. Only what is
 * stricter than our own stays: a document may refuse escaped slashes.
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
  // The filter counts from the right end of X-Forwarded-For, where Envoy then would not have put its peer.
  delete manager.skip_xff_append;
  // First: what the document itself says of such a header holds.
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

/** Bytes that an HTTP/2 stream lets in before the filter has seen them; see `shieldConnectionManagerFields`. */
export function streamWindowOf(manager: JsonObject): number {
  const options = isJsonObject(manager.http2_protocol_options) ? manager.http2_protocol_options : {};
  const window = Number(options.initial_stream_window_size);
  return Number.isFinite(window) && window > 0 ? window : Number.POSITIVE_INFINITY;
}

/** RFC 9113 section 6.5.2; Envoy takes no smaller window than HTTP/2 begins with. */
const STREAM_WINDOW_MIN_BYTES = 65_535;
const STREAM_WINDOW_MAX_BYTES = 2 ** 31 - 1;

/** Lets a stream of HTTP/2 bring as much as the listener holds, unless the document says how much. */
export function boundStreams(manager: JsonObject, bufferBytes: number): void {
  if (streamWindowOf(manager) !== Number.POSITIVE_INFINITY) return;
  const window = Math.max(STREAM_WINDOW_MIN_BYTES, Math.min(STREAM_WINDOW_MAX_BYTES, bufferBytes));
  const own = isJsonObject(manager.http2_protocol_options) ? manager.http2_protocol_options : {};
  manager.http2_protocol_options = { ...own, initial_stream_window_size: window };
}

/** Lets a stream of HTTP/2 bring at least so much. */
export function widenStreams(manager: JsonObject, bytes: number): void {
  if (streamWindowOf(manager) >= bytes || !isJsonObject(manager.http2_protocol_options)) return;
  const window = Math.max(STREAM_WINDOW_MIN_BYTES, bytes);
  manager.http2_protocol_options = { ...manager.http2_protocol_options, initial_stream_window_size: window };
}

/** Bytes that a listener holds of a request's body; 0 in the document means no bound. */
export function bufferOf(listener: JsonObject): number {
  const given = listener.per_connection_buffer_limit_bytes;
  if (given === undefined || given === null) return ENVOY_BUFFER_DEFAULT_BYTES;
  return Number(given) === 0 ? Number.POSITIVE_INFINITY : Number(given);
}

/** Under a name of its own: per-route configuration under Envoy's usual name must not switch it off. */
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
