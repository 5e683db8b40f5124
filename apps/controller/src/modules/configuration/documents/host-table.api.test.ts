import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
let t: TestController;
let editor: TestCaller;
let projectOwner: TestCaller;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  editor = await t.createMember('editor');
  projectOwner = await t.createMember('owner');
});
afterAll(() => t.close());

const any = (type: string, content: object = {}) => ({ '@type': `type.googleapis.com/${type}`, ...content });
const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const listenerOf = (...filters: object[]) => ({
  address: { socket_address: { address: '0.0.0.0', port_value: 8080 } },
  filter_chains: [{ filters: filters.map((typed_config, i) => ({ name: `f${i}`, typed_config })) }],
});
const managed = (manager: object) =>
  listenerOf(any(HCM, { stat_prefix: 'x', route_config: { name: 'x' }, http_filters: [], ...manager }));
const clusterAt = (address: string, port_value: number, type = 'STRICT_DNS') => ({
  type,
  connect_timeout: '1s',
  load_assignment: {
    cluster_name: 'attempt',
    endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address, port_value } } } }] }],
  },
});
const scopedBy = (srds_resources_locator: string) => {
  const scoped_routes = {
    name: 'x',
    scope_key_builder: {
      fragments: [{ header_value_extractor: { name: 'x', element_separator: ',', index: 0 } }],
    },
    rds_config_source: { ads: {} },
    scoped_rds: { scoped_rds_config_source: { ads: {} }, srds_resources_locator },
  };
  return listenerOf(any(HCM, { stat_prefix: 'x', scoped_routes }));
};
const LB = { connect_timeout: '1s', lb_policy: 'CLUSTER_PROVIDED' };
const ALTS = 'envoy.extensions.transport_sockets.alts.v3.Alts';
const EXT_AUTHZ = 'envoy.extensions.filters.http.ext_authz.v3.ExtAuthz';

/** Case name -> collection, resource, reported path, type if needed. */
const CASES: Record<string, [string, object, string, string?]> = {
  'a filter that takes the server name for a cluster (attack 4)': [
    'listeners',
    listenerOf(any('envoy.extensions.filters.network.sni_cluster.v3.SniCluster')),
    'filters[0].typed_config',
  ],
  'configuration of scoped routes from a file (attack 5)': [
    'listeners',
    scopedBy('file:///proc/self/cwd/c.json'),
    'scoped_rds.srds_resources_locator',
  ],
  'endpoints from a file, by a collection (attack 5)': [
    'endpoints',
    {
      endpoints: [
        {
          leds_cluster_locality_config: {
            leds_config: { ads: {} },
            leds_collection_name: 'file:///proc/self/cwd/c.json',
          },
        },
      ],
    },
    'leds_cluster_locality_config',
  ],
  'a cluster that dials where its client wanted to go (attack 10)': [
    'clusters',
    { ...LB, type: 'ORIGINAL_DST' },
    'resource.type',
  ],
  'the same, written small and with a dash (attack 10)': ['clusters', { ...LB, type: 'original-dst' }, 'resource.type'],
  'the same as a number (attack 10)': ['clusters', { ...LB, type: 4 }, 'resource.type'],
  'the same by the name of its kind alone (attack 10)': [
    'clusters',
    { ...LB, cluster_type: { name: 'envoy.cluster.original_dst' } },
    'cluster_type',
  ],
  'the same as a message (attack 10)': [
    'clusters',
    {
      ...LB,
      cluster_type: {
        name: 'x',
        typed_config: any('envoy.extensions.clusters.original_dst.v3.OriginalDstCluster'),
      },
    },
    'cluster_type.typed_config',
  ],
  'a handshaker behind a socket of the host (attack 11)': [
    'clusters',
    {
      ...clusterAt('www.example.com', 443),
      transport_socket: { name: 'x', typed_config: any(ALTS, { handshaker_service: 'unix:/tmp/x.sock' }) },
    },
    'handshaker_service',
  ],
  'a tag of tracing from the environment (attack 12)': [
    'listeners',
    managed({ tracing: { custom_tags: [{ tag: 'x', environment: { name: 'HOME' } }] } }),
    'custom_tags[0].environment',
  ],
  'a name with the port of an admin endpoint (attack 13)': ['clusters', clusterAt('vm', 33_100), 'socket_address'],
  'a number for loopback with the port of an admin endpoint (attack 13)': [
    'clusters',
    clusterAt('0x7f000001', 33_100, 'LOGICAL_DNS'),
    'socket_address',
  ],
  'a health check at the port of an admin endpoint (attack 13)': [
    'clusters',
    {
      ...clusterAt('127.0.0.1', 80, 'STATIC'),
      health_checks: [
        {
          timeout: '1s',
          interval: '1s',
          unhealthy_threshold: 1,
          healthy_threshold: 1,
          alt_port: 33_100,
          http_health_check: { path: '/quitquitquit', method: 'POST' },
        },
      ],
    },
    'alt_port',
  ],
  'the endpoint that knows the cloud identity of the host (attack 15)': [
    'clusters',
    clusterAt('169.254.169.254', 80, 'STATIC'),
    'socket_address',
  ],
  'gRPC credentials of the host (attack 15)': [
    'filters',
    {
      grpc_service: {
        google_grpc: {
          target_uri: 'authz.example.com:443',
          stat_prefix: 'x',
          call_credentials: [{ google_compute_engine: {} }],
        },
      },
    },
    'google_compute_engine',
    EXT_AUTHZ,
  ],
  'AWS credentials of the host (attack 15)': [
    'filters',
    { service_name: 's3', region: 'eu-central-1' },
    'resource',
    'envoy.extensions.filters.http.aws_request_signing.v3.AwsRequestSigning',
  ],
};

describe('the table of features that access the host', () => {
  test.each(Object.entries(CASES))('refuses %s to an editor and allows it to the project owner', async (_, attempt) => {
    const [collection, resource, path, type] = attempt;
    const url = `/api/v3/xds/${collection}?project=${t.project}&dry_run=true`;
    const body = { name: 'attempt', version: VERSION, resource, ...(type && { type }) };
    const refused = await editor.call('POST', url, body);
    expect(refused.status, JSON.stringify(refused.body)).toBe(403);
    expect(refused.body.code).toBe('document.restricted');
    expect(refused.body.details.map((detail: { path: string }) => detail.path).join(' ')).toContain(path);
    const allowed = await projectOwner.call('POST', url, body);
    expect(allowed.status, JSON.stringify(allowed.body)).toBe(200);
  });

  test('allows an editor similar messages without host access', async () => {
    const url = (collection: string) => `/api/v3/xds/${collection}?project=${t.project}&dry_run=true`;
    for (const [collection, resource] of [
      ['clusters', clusterAt('www.example.com', 443)],
      ['clusters', clusterAt('vm', 8080, 'LOGICAL_DNS')],
      ['listeners', managed({ tracing: { custom_tags: [{ tag: 'x', literal: { value: 'y' } }] } })],
    ] as const) {
      const allowed = await editor.call('POST', url(collection), { name: 'attempt', version: VERSION, resource });
      expect(allowed.status, JSON.stringify(allowed.body)).toBe(200);
    }
  });

  test('refuses everybody a cluster of clusters that leads to the controller (attack 4)', async () => {
    const typed_config = any('envoy.extensions.clusters.aggregate.v3.ClusterConfig', { clusters: ['flotilla_xds'] });
    const resource = { ...LB, cluster_type: { name: 'envoy.clusters.aggregate', typed_config } };
    const body = { name: 'attempt', version: VERSION, resource };
    for (const caller of [editor, projectOwner]) {
      const refused = await caller.call('POST', `/api/v3/xds/clusters?project=${t.project}&dry_run=true`, body);
      expect(refused.status, JSON.stringify(refused.body)).toBe(400);
      expect(refused.body.code).toBe('reference.invalid');
    }
  });
});
