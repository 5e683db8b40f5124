import type { JsonObject } from '@flotilla/envoy-api';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { describe, expect, test } from 'vitest';
import { findReferences } from './references.ts';
import { AT, any, BOOTSTRAP, CLUSTER, describeTenants, HCM, LISTENER, network, ROUTES } from './tenant.suite.ts';

describeTenants((tenant) => {
  const { pathsOf, version } = tenant;

  test('no request can choose its virtual host by another header than the one for policies', () => {
    if (version === TEST_ENVOY_VERSIONS.oldest)
      return expect(tenant.api.check(ROUTES, { vhost_header: 'x' }).errors).not.toEqual([]);
    expect(pathsOf(ROUTES, { vhost_header: 'x-tenant' })).toEqual(['vhost_header']);
  });

  describe('a request or connection that chooses its cluster (attack 4)', () => {
    test.each([
      ['the server name of TLS', 'envoy.extensions.filters.network.sni_cluster.v3.SniCluster'],
      ['the server name of TLS, by DNS', 'envoy.extensions.filters.network.sni_dynamic_forward_proxy.v3.FilterConfig'],
      ['a peer that dials in', 'envoy.extensions.filters.network.reverse_tunnel.v3.ReverseTunnel'],
    ])('is restricted for tenants as %s', (_, type) => {
      expect(pathsOf(LISTENER, network(type))).toEqual([AT]);
    });

    test('is restricted for tenants in any field that reads it from a header', () => {
      const route = (action: JsonObject): JsonObject => ({ virtual_hosts: [{ routes: [{ route: action }] }] });
      const of = (action: JsonObject) => pathsOf(ROUTES, route(action)).map((path) => path.split('.').at(-1));
      expect(of({ cluster_header: 'x' })).toEqual(['cluster_header']);
      expect(of({ weighted_clusters: { clusters: [{ cluster_header: 'x' }] } })).toEqual(['cluster_header']);
      expect(of({ request_mirror_policies: [{ cluster_header: 'x' }] })).toEqual(['cluster_header']);
      const thrift = { route_config: { routes: [{ route: { cluster_header: 'x' } }] } };
      expect(
        pathsOf(LISTENER, network('envoy.extensions.filters.network.thrift_proxy.v3.ThriftProxy', thrift)),
      ).toEqual([`${AT}.route_config.routes[0].route.cluster_header`]);
    });

    test.each([
      ['envoy.tcp_proxy.cluster', ''],
      ['envoy.udp_proxy.cluster', ''],
      ['envoy.upstream.dynamic_host', ''],
      ['envoy.upstream.dynamic_port', ''],
      ['envoy.network.transport_socket.http_11_proxy.info', ''],
      ['envoy.filters.listener.original_dst.local_ip', ''],
      ['envoy.network.upstream_bind_override.network_namespace', ''],
      ['envoy.of_a_version_to_come', ''],
      ['mine', 'envoy.tcp_proxy.cluster'],
    ])('is restricted for tenants in the filter state %s %s', (object_key, factory_key) => {
      const value = {
        object_key,
        factory_key,
        format_string: { text_format_source: { inline_string: 'flotilla_xds' } },
      };
      const type = 'envoy.extensions.filters.network.set_filter_state.v3.Config';
      expect(pathsOf(LISTENER, network(type, { on_new_connection: [value] }))).toEqual([`${AT}.on_new_connection[0]`]);
    });

    test('is allowed for filter state that is read for other purposes', () => {
      const type = 'envoy.extensions.filters.network.set_filter_state.v3.Config';
      const set = (value: JsonObject) => pathsOf(LISTENER, network(type, { on_new_connection: [value] }));
      expect(set({ object_key: 'envoy.network.upstream_server_name' })).toEqual([]);
      expect(set({ object_key: 'example.tenant', factory_key: 'envoy.string' })).toEqual([]);
    });

    test('cannot use an aggregate or composite cluster to access a cluster of the controller', () => {
      const kinds: Record<string, JsonObject> = {
        'envoy.extensions.clusters.aggregate.v3.ClusterConfig': { clusters: ['mine', 'flotilla_xds'] },
        'envoy.extensions.clusters.composite.v3.ClusterConfig': {
          clusters: [{ name: 'mine' }, { name: 'flotilla_xds' }],
        },
      };
      const served = Object.entries(kinds).filter(([type]) => tenant.api.hasMessage(type));
      expect(served).toHaveLength(version === TEST_ENVOY_VERSIONS.oldest ? 1 : 2);
      for (const [type, config] of served) {
        const resource = { name: 'x', cluster_type: { name: 'x', typed_config: any(type, config) } };
        const { problems } = findReferences(tenant.api, { collection: 'clusters', name: 'x', type: CLUSTER, resource });
        expect(
          problems.map(({ rule }) => rule),
          type,
        ).toEqual(['reserved']);
      }
      const table = {
        external_dns_table: {},
        inline_dns_table: { virtual_domains: [{ name: 'x', endpoint: { cluster_name: 'flotilla_xds' } }] },
      };
      const dns = any('envoy.extensions.filters.udp.dns_filter.v3.DnsFilterConfig', { server_config: table });
      const resource = { name: 'x', listener_filters: [{ name: 'x', typed_config: dns }] };
      const { problems } = findReferences(tenant.api, { collection: 'listeners', name: 'x', type: LISTENER, resource });
      expect(problems.map(({ rule }) => rule)).toEqual(['reserved']);
    });
  });

  describe('a locator of configuration (attack 5)', () => {
    const scoped = (locator: string) =>
      network(HCM, {
        scoped_routes: { scoped_rds: { scoped_rds_config_source: { ads: {} }, srds_resources_locator: locator } },
      });

    test.each(['file:///proc/self/cwd/c.json', 'FILE:///c', 'http://127.0.0.1/x', 'xdstp://a/b', 'x'])(
      'is restricted for tenants in scoped routes: %s',
      (locator) => {
        expect(pathsOf(LISTENER, scoped(locator))).toEqual([`${AT}.scoped_routes.scoped_rds.srds_resources_locator`]);
      },
    );

    test('may be empty', () => {
      expect(pathsOf(LISTENER, scoped(''))).toEqual([]);
    });

    test('is found in every message that has one, under any name', () => {
      const tcp = { on_demand: { odcds_config: { ads: {} }, resources_locator: 'file:///c.json' } };
      expect(pathsOf(LISTENER, network('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', tcp))).toEqual([
        `${AT}.on_demand.resources_locator`,
      ]);
      const onDemand = { odcds: { source: { ads: {} }, resources_locator: 'file:///c.json' } };
      expect(pathsOf('envoy.extensions.filters.http.on_demand.v3.OnDemand', onDemand)).toEqual([
        'odcds.resources_locator',
      ]);
      expect(pathsOf('envoy.extensions.filters.http.on_demand.v3.PerRouteConfig', onDemand)).toEqual([
        'odcds.resources_locator',
      ]);
      const leds = { leds_config: { ads: {} }, leds_collection_name: 'file:///c.json' };
      expect(pathsOf(CLUSTER, { load_assignment: { endpoints: [{ leds_cluster_locality_config: leds }] } })).toEqual([
        'load_assignment.endpoints[0].leds_cluster_locality_config',
      ]);
    });
  });

  describe('a cluster that dials an address from the client (attack 10)', () => {
    test.each(['ORIGINAL_DST', 'original_dst', 'original-dst', 'Original_Dst', 4, '4', 9, 'NEW_KIND'])(
      'is restricted for tenants with the type %s',
      (type) => {
        expect(pathsOf(CLUSTER, { type })).toEqual(['type']);
      },
    );

    test.each(['STATIC', 'strict_dns', 'logical-dns', 'EDS', 0, 3])('is allowed with the type %s', (type) => {
      expect(pathsOf(CLUSTER, { type })).toEqual([]);
    });

    test('is restricted for tenants by message and by bare name', () => {
      const message = any('envoy.extensions.clusters.original_dst.v3.OriginalDstCluster');
      expect(pathsOf(CLUSTER, { cluster_type: { name: 'x', typed_config: message } })).toEqual([
        'cluster_type.typed_config',
      ]);
      for (const name of [
        'envoy.cluster.original_dst',
        'envoy.clusters.dynamic_forward_proxy',
        'envoy.clusters.redis',
        '',
      ]) {
        expect(pathsOf(CLUSTER, { cluster_type: { name } }), name).toEqual(['cluster_type']);
      }
      expect(pathsOf(CLUSTER, { cluster_type: { name: 'envoy.cluster.strict_dns' } })).toEqual([]);
    });

    test('is restricted for tenants if it overrides the address', () => {
      const of = (config: JsonObject) => pathsOf(CLUSTER, { original_dst_lb_config: config });
      expect(of({ use_http_header: true })).toEqual(['original_dst_lb_config.use_http_header']);
      expect(of({ upstream_port_override: 80 })).toEqual(['original_dst_lb_config.upstream_port_override']);
      expect(of({ use_http_header: false })).toEqual([]);
    });

    test('is restricted for tenants if an upstream gives the address instead', () => {
      const redis = any('envoy.extensions.clusters.redis.v3.RedisClusterConfig');
      expect(pathsOf(CLUSTER, { cluster_type: { name: 'x', typed_config: redis } })).toEqual([
        'cluster_type.typed_config',
      ]);
      const proxy = (enable_redirection: boolean) =>
        network('envoy.extensions.filters.network.redis_proxy.v3.RedisProxy', { settings: { enable_redirection } });
      expect(pathsOf(LISTENER, proxy(true))).toEqual([`${AT}.settings.enable_redirection`]);
      expect(pathsOf(LISTENER, proxy(false))).toEqual([]);
    });
  });

  describe('other ways out of the service', () => {
    test('include the logs of the MongoDB and ZooKeeper proxies, which are files of the host (attack 5)', () => {
      for (const type of ['mongo_proxy.v3.MongoProxy', 'zookeeper_proxy.v3.ZooKeeperProxy']) {
        const of = (access_log: string) =>
          pathsOf(LISTENER, network(`envoy.extensions.filters.network.${type}`, { access_log }));
        expect(of('/etc/cron.d/x'), type).toEqual([`${AT}.access_log`]);
        expect(of('files/mongo.log'), type).toEqual([]);
      }
    });

    test("include Envoy's runtime switches, which decide how an extension is looked up (attack 4)", () => {
      const layer = (static_layer: JsonObject) => ({ layered_runtime: { layers: [{ name: 'x', static_layer }] } });
      const at = ['layered_runtime.layers[0].static_layer'];
      expect(pathsOf(BOOTSTRAP, layer({ 'envoy.reloadable_features.no_extension_lookup_by_name': false }))).toEqual(at);
      expect(
        pathsOf(BOOTSTRAP, layer({ envoy: { reloadable_features: { no_extension_lookup_by_name: false } } })),
      ).toEqual(at);
      expect(pathsOf(BOOTSTRAP, layer({ 'routing.traffic_shift.x': 50 }))).toEqual([]);
    });

    test('include all socket options except those for buffers and keepalive (attack 10)', () => {
      const of = (level: number | string, name: number | string) =>
        pathsOf(LISTENER, { socket_options: [{ level, name, int_value: '1' }] }).length === 0;
      expect(of(6, 1)).toBe(true);
      expect(of('1', '9')).toBe(true);
      for (const [level, name] of [
        [1, 25],
        [1, 36],
        [0, 19],
        [6, 31],
        [1, 51],
        [0, 0],
      ] as const)
        expect(of(level, name)).toBe(false);
    });
  });
});
