import type { Collection } from '@flotilla/contract';
import type { JsonObject } from '@flotilla/envoy-api';
import type { StoredDocument } from '../../configuration/public.ts';
import { isName, type PublishRequest, type Upstream } from './request.ts';

/** A document to write. A missing `revision` creates it. */
export interface PlannedDocument {
  readonly collection: Collection;
  readonly name: string;
  readonly resource: JsonObject;
  /** The revision from which the content was derived; 0: there must be none. */
  readonly revision: number;
  readonly labels?: Record<string, string>;
  readonly comments?: readonly { path: (string | number)[]; place: 'above' | 'beside' | 'below'; text: string }[];
}

/** Changes a stored document. */
export function toPlanned({ collection, name, resource, revision, comments }: StoredDocument): PlannedDocument {
  return { collection, name, resource, revision, comments: comments.map((one) => ({ ...one, path: [...one.path] })) };
}

/** The label of documents that publishing has created: the host and path that they were created for. */
export const PUBLISHED_LABEL = 'published';

const TLS = 'envoy.extensions.transport_sockets.tls.v3';
const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const ADS: JsonObject = { ads: {}, resource_api_version: 'V3' };

function any(type: string, fields: JsonObject = {}): JsonObject {
  return { '@type': `type.googleapis.com/${type}`, ...fields };
}

type ClusterRequest = Pick<PublishRequest, 'upstreams' | 'upstream_tls' | 'health_check'>;

/**
 * The cluster of the upstreams. Members that publishing does not set keep their values from `before`: somebody may have
 * added limits to the cluster.
 */
export function toCluster(name: string, request: ClusterRequest, before: JsonObject = {}): JsonObject {
  const { upstreams, upstream_tls: tls, health_check: check } = request;
  const {
    transport_socket: _socket,
    health_checks: _checks,
    type: _type,
    load_assignment: _assigned,
    ...kept
  } = before;
  return {
    name,
    connect_timeout: '5s',
    ...kept,
    type: upstreams.some(isName) ? 'STRICT_DNS' : 'STATIC',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: upstreams.map(toEndpoint) }] },
    ...(tls && { transport_socket: toTransportSocket(tls, upstreams) }),
    ...(check && { health_checks: [toHealthCheck(check.path)] }),
  };
}

function toEndpoint({ address, port, weight }: Upstream): JsonObject {
  const at: JsonObject =
    port === undefined ? { pipe: { path: address } } : { socket_address: { address, port_value: port } };
  return { endpoint: { address: at }, ...(weight !== undefined && { load_balancing_weight: weight }) };
}

function toHealthCheck(path: string): JsonObject {
  return {
    timeout: '2s',
    interval: '10s',
    unhealthy_threshold: 3,
    healthy_threshold: 2,
    http_health_check: { path },
  };
}

function toTransportSocket(
  { sni, authorities }: NonNullable<ClusterRequest['upstream_tls']>,
  upstreams: readonly Upstream[],
): JsonObject {
  const name = sni ?? upstreams.find(isName)?.address;
  const verified = authorities !== undefined && {
    common_tls_context: {
      combined_validation_context: {
        default_validation_context: {
          match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: name ?? '' } }],
        },
        validation_context_sds_secret_config: { name: authorities, sds_config: ADS },
      },
    },
  };
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: any(`${TLS}.UpstreamTlsContext`, { ...(name !== undefined && { sni: name }), ...verified }),
  };
}

/** `/api` matches the folder and what is below it, not `/apis`. */
export function toRoute(path: string, cluster: string): JsonObject {
  return { match: path === '/' ? { prefix: '/' } : { path_separated_prefix: path }, route: { cluster } };
}

/** Hosts match whatever port the request names. */
export function toRoutes(name: string): JsonObject {
  return { name, ignore_port_in_host_matching: true };
}

export interface NewListener {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly routes: string;
  readonly certificate: string | undefined;
}

export function toListener({ name, address, port, routes, certificate }: NewListener): JsonObject {
  return {
    name,
    address: { socket_address: { address, port_value: port } },
    filter_chains: [
      {
        ...(certificate !== undefined && { transport_socket: toDownstreamTls(certificate) }),
        filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: toManager(name, routes) }],
      },
    ],
  };
}

function toManager(prefix: string, routes: string): JsonObject {
  return any(HCM, {
    stat_prefix: prefix,
    codec_type: 'AUTO',
    use_remote_address: true,
    normalize_path: true,
    merge_slashes: true,
    rds: { route_config_name: routes, config_source: ADS },
    access_log: [
      {
        name: 'envoy.access_loggers.stdout',
        typed_config: any('envoy.extensions.access_loggers.stream.v3.StdoutAccessLog'),
      },
    ],
    http_filters: [
      { name: 'envoy.filters.http.router', typed_config: any('envoy.extensions.filters.http.router.v3.Router') },
    ],
  });
}

function toDownstreamTls(certificate: string): JsonObject {
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: any(`${TLS}.DownstreamTlsContext`, {
      common_tls_context: {
        alpn_protocols: ['h2', 'http/1.1'],
        tls_certificate_sds_secret_configs: [{ name: certificate, sds_config: ADS }],
      },
    }),
  };
}
