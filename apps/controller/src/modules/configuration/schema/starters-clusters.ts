import type { JsonObject } from '@flotilla/envoy-api';
import { ADS, any, ask, type Starter, socketAddress } from './starter.ts';

const TLS = 'envoy.extensions.transport_sockets.tls.v3';
const VALIDATION = 'transport_socket.typed_config.common_tls_context.combined_validation_context';

function endpoint(address: string, port: number): JsonObject {
  return { endpoint: { address: socketAddress(address, port) } };
}

function assign(cluster: string, endpoints: JsonObject[]): JsonObject {
  return { cluster_name: cluster, endpoints: [{ lb_endpoints: endpoints }] };
}

function options(fields: JsonObject): JsonObject {
  const type = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
  return { [type]: any(type, fields) };
}

export const CLUSTER_STARTERS: readonly Starter[] = [
  {
    id: 'cluster-dns',
    title: 'Servers by DNS name',
    description: 'Resolves host names again and again and uses every address that they have.',
    collection: 'clusters',
    name: 'backend',
    namedAt: ['load_assignment.cluster_name'],
    questions: [ask('addresses', 'Addresses', 'load_assignment.endpoints[0].lb_endpoints')],
    resource: {
      name: 'backend',
      type: 'STRICT_DNS',
      connect_timeout: '5s',
      lb_policy: 'ROUND_ROBIN',
      load_assignment: assign('backend', [endpoint('backend.example.com', 8080)]),
    },
  },
  {
    id: 'cluster-static',
    title: 'Fixed addresses with health checks',
    description: 'A list of addresses; those that do not answer are left out.',
    collection: 'clusters',
    name: 'backend',
    namedAt: ['load_assignment.cluster_name'],
    questions: [
      ask('ip_addresses', 'Addresses', 'load_assignment.endpoints[0].lb_endpoints'),
      ask('http_path', 'Path of the health check', 'health_checks[0].http_health_check.path'),
    ],
    resource: {
      name: 'backend',
      type: 'STATIC',
      connect_timeout: '5s',
      lb_policy: 'LEAST_REQUEST',
      load_assignment: assign('backend', [endpoint('192.0.2.10', 8080), endpoint('192.0.2.11', 8080)]),
      health_checks: [
        {
          timeout: '2s',
          interval: '10s',
          unhealthy_threshold: 3,
          healthy_threshold: 2,
          http_health_check: { path: '/healthz' },
        },
      ],
    },
  },
  {
    id: 'cluster-eds',
    title: 'Stored endpoints (EDS)',
    description: 'Takes its endpoints from a stored document, so that they change without touching the cluster.',
    collection: 'clusters',
    name: 'backend',
    questions: [ask('endpoints', 'Endpoints', 'eds_cluster_config.service_name')],
    resource: {
      name: 'backend',
      type: 'EDS',
      connect_timeout: '5s',
      eds_cluster_config: { eds_config: ADS, service_name: 'backend' },
    },
  },
  {
    id: 'cluster-tls',
    title: 'HTTPS server',
    description:
      'Speaks TLS to the server and verifies that its certificate has the name and is from stored authorities.',
    collection: 'clusters',
    name: 'backend-tls',
    namedAt: ['load_assignment.cluster_name'],
    questions: [
      ask('addresses', 'Addresses', 'load_assignment.endpoints[0].lb_endpoints'),
      ask(
        'server_name',
        'Server name (SNI)',
        'transport_socket.typed_config.sni',
        `${VALIDATION}.default_validation_context.match_typed_subject_alt_names[0].matcher.exact`,
      ),
      ask('authorities', 'Trusted authorities', `${VALIDATION}.validation_context_sds_secret_config.name`),
    ],
    resource: {
      name: 'backend-tls',
      type: 'STRICT_DNS',
      connect_timeout: '5s',
      load_assignment: assign('backend-tls', [endpoint('backend.example.com', 443)]),
      transport_socket: {
        name: 'envoy.transport_sockets.tls',
        typed_config: any(`${TLS}.UpstreamTlsContext`, {
          sni: 'backend.example.com',
          common_tls_context: {
            combined_validation_context: {
              default_validation_context: {
                match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: 'backend.example.com' } }],
              },
              validation_context_sds_secret_config: { name: 'upstream-authorities', sds_config: ADS },
            },
          },
        }),
      },
    },
  },
  {
    id: 'cluster-grpc',
    title: 'gRPC or HTTP/2 server',
    description: 'Always speaks HTTP/2 to the server, as gRPC needs it.',
    collection: 'clusters',
    name: 'grpc-backend',
    namedAt: ['load_assignment.cluster_name'],
    questions: [ask('addresses', 'Addresses', 'load_assignment.endpoints[0].lb_endpoints')],
    resource: {
      name: 'grpc-backend',
      type: 'STRICT_DNS',
      connect_timeout: '5s',
      typed_extension_protocol_options: options({ explicit_http_config: { http2_protocol_options: {} } }),
      load_assignment: assign('grpc-backend', [endpoint('grpc.example.com', 50051)]),
    },
  },
  {
    id: 'cluster-guarded',
    title: 'With limits and outlier detection',
    description: 'Bounds connections and requests, and puts servers aside that fail again and again.',
    collection: 'clusters',
    name: 'backend',
    namedAt: ['load_assignment.cluster_name'],
    questions: [ask('addresses', 'Addresses', 'load_assignment.endpoints[0].lb_endpoints')],
    resource: {
      name: 'backend',
      type: 'STRICT_DNS',
      connect_timeout: '5s',
      circuit_breakers: { thresholds: [{ max_connections: 1000, max_pending_requests: 500, max_requests: 1000 }] },
      outlier_detection: { consecutive_5xx: 5, interval: '10s', base_ejection_time: '30s', max_ejection_percent: 50 },
      load_assignment: assign('backend', [endpoint('backend.example.com', 8080)]),
    },
  },
  {
    id: 'endpoints',
    title: 'Endpoints of a cluster',
    description: 'Addresses for the EDS clusters that ask for this name.',
    collection: 'endpoints',
    name: 'backend',
    questions: [ask('ip_addresses', 'Addresses', 'endpoints[0].lb_endpoints')],
    resource: assign('backend', [endpoint('192.0.2.10', 8080), endpoint('192.0.2.11', 8080)]),
  },
  {
    id: 'endpoints-priorities',
    title: 'Endpoints with a fallback',
    description: 'A second group that is used while the first one is unwell.',
    collection: 'endpoints',
    name: 'backend',
    questions: [
      ask('ip_addresses', 'Addresses', 'endpoints[0].lb_endpoints'),
      ask('ip_addresses', 'Fallback addresses', 'endpoints[1].lb_endpoints'),
    ],
    resource: {
      cluster_name: 'backend',
      endpoints: [
        { lb_endpoints: [endpoint('192.0.2.10', 8080)], priority: 0 },
        { lb_endpoints: [endpoint('198.51.100.10', 8080)], priority: 1 },
      ],
    },
  },
  {
    id: 'secret-certificate',
    title: 'Certificate and key',
    description: 'For listeners with TLS; the key is encrypted and never shown again.',
    collection: 'secrets',
    name: 'site-certificate',
    questions: [
      ask('certificate_pem', 'Certificate chain', 'tls_certificate.certificate_chain'),
      ask('private_key_pem', 'Private key', 'tls_certificate.private_key'),
    ],
    resource: {
      name: 'site-certificate',
      tls_certificate: {
        certificate_chain: { filename: 'files/site.crt' },
        private_key: { filename: 'files/site.key' },
      },
    },
  },
  {
    id: 'secret-authorities',
    title: 'Trusted authorities',
    description: 'Whose certificates a cluster or listener trusts.',
    collection: 'secrets',
    name: 'upstream-authorities',
    questions: [ask('certificate_pem', 'Certificates', 'validation_context.trusted_ca')],
    resource: {
      name: 'upstream-authorities',
      validation_context: { trusted_ca: { filename: 'files/ca.crt' } },
    },
  },
  {
    id: 'bootstrap',
    title: 'Plain bootstrap',
    description: 'All that a service needs: listeners and clusters come from the controller.',
    collection: 'bootstrap',
    name: 'main',
    resource: {},
  },
  {
    id: 'bootstrap-memory',
    title: 'Bootstrap that guards memory',
    description: 'Stops taking requests before the process runs out of memory.',
    collection: 'bootstrap',
    name: 'main',
    questions: [
      ask('count', 'Most memory in bytes', 'overload_manager.resource_monitors[0].typed_config.max_heap_size_bytes'),
    ],
    resource: {
      overload_manager: {
        refresh_interval: '0.25s',
        resource_monitors: [
          {
            name: 'envoy.resource_monitors.fixed_heap',
            typed_config: any('envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig', {
              max_heap_size_bytes: '1073741824',
            }),
          },
        ],
        actions: [
          {
            name: 'envoy.overload_actions.stop_accepting_requests',
            triggers: [{ name: 'envoy.resource_monitors.fixed_heap', threshold: { value: 0.95 } }],
          },
        ],
      },
    },
  },
];
