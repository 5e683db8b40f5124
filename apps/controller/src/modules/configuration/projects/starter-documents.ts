import type { NewDocument } from '../documents/index.ts';
import { ADS, JSON_ACCESS_LOG } from '../schema/index.ts';

const HTTP = 'envoy.extensions.filters.http';
const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

/**
 * The initial documents for a proxy version: a listener that answers as soon as a service uses it, split into parts
 * that other documents can refer to, and the parts of a route to upstream servers. Uses only fields that every
 * supported version has.
 */
const DOCUMENTS: readonly Omit<NewDocument, 'labels'>[] = [
  {
    collection: 'bootstrap',
    name: 'main',
    description: 'All that a service needs: listeners and clusters come from the controller',
    resource: {},
  },
  {
    collection: 'filters',
    name: 'router',
    type: `${HTTP}.router.v3.Router`,
    description: 'Sends requests where their route says; the last of every chain of HTTP filters',
    resource: {},
  },
  {
    collection: 'extensions',
    name: 'access-log',
    type: 'envoy.extensions.access_loggers.stream.v3.StdoutAccessLog',
    description: 'One JSON object per request in the log of the proxy',
    resource: JSON_ACCESS_LOG,
  },
  {
    collection: 'filters',
    name: 'http-connection-manager',
    type: 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    description: 'HTTP for listeners: routes of the route configuration "main", the access log, the router',
    resource: {
      stat_prefix: 'http',
      codec_type: 'AUTO',
      use_remote_address: true,
      normalize_path: true,
      rds: { route_config_name: 'main', config_source: ADS },
      access_log: [{ $ref: 'extensions/access-log' }],
      http_filters: [{ $ref: 'filters/router' }],
    },
  },
  {
    collection: 'routes',
    name: 'main',
    description: 'Answers every request itself; send it to a cluster instead once there is one to send it to',
    resource: {
      name: 'main',
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [
            { match: { prefix: '/' }, direct_response: { status: 200, body: { inline_string: 'It works.\n' } } },
          ],
        },
      ],
    },
  },
  {
    collection: 'listeners',
    name: 'http',
    description: 'HTTP on port 8080 of each client',
    resource: {
      name: 'http',
      address: { socket_address: { address: '@client', port_value: 8080 } },
      filter_chains: [{ filters: [{ $ref: 'filters/http-connection-manager' }] }],
    },
  },
  {
    collection: 'extensions',
    name: 'http-options',
    type: HTTP_OPTIONS,
    description: 'How clusters speak HTTP to their servers; over TLS their certificate is held to the name asked for',
    resource: {
      upstream_http_protocol_options: { auto_sni: true, auto_san_validation: true },
      explicit_http_config: { http_protocol_options: {} },
    },
  },
  {
    collection: 'clusters',
    name: 'backend',
    description: 'Servers by DNS name: put in yours',
    resource: {
      name: 'backend',
      type: 'STRICT_DNS',
      connect_timeout: '5s',
      typed_extension_protocol_options: { [HTTP_OPTIONS]: { $ref: 'extensions/http-options' } },
      load_assignment: {
        cluster_name: 'backend',
        endpoints: [
          {
            lb_endpoints: [
              { endpoint: { address: { socket_address: { address: 'backend.example.com', port_value: 8080 } } } },
            ],
          },
        ],
      },
    },
  },
  {
    collection: 'secrets',
    name: 'upstream-authorities',
    description: 'The authorities that servers are trusted by: a file of each service',
    resource: {
      name: 'upstream-authorities',
      validation_context: { trusted_ca: { filename: 'files/ca.crt' } },
    },
  },
  {
    collection: 'extensions',
    name: 'upstream-tls',
    type: 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
    description: 'TLS to servers, as the transport socket of a cluster; their certificates are verified',
    resource: {
      common_tls_context: {
        validation_context_sds_secret_config: { name: 'upstream-authorities', sds_config: ADS },
      },
    },
  },
];

/** A clean-up distinguishes starter documents from users' documents by this label. */
const STARTER_LABELS = { is_default: 'true' };

export const STARTER_DOCUMENTS: readonly NewDocument[] = DOCUMENTS.map((document) => ({
  ...document,
  labels: STARTER_LABELS,
}));
