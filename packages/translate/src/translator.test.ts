import { type EnvoyApi, type JsonObject, loadEnvoyApi } from '@flotilla/envoy-api';
import { loadPolicyFiles, shieldFilterConfig } from '@flotilla/policy';
import { beforeAll, describe, expect, it } from 'vitest';
import { readGolden, TEST_NODE, type TestDocuments, TestSource, toPlain } from './testing.ts';
import { Translator } from './translator.ts';
import type { NodeInput, Translation } from './types.ts';

const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const ROUTER = {
  name: 'router',
  typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
};
const JWT = 'envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication';
const TLS = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';

let api: EnvoyApi;
let oldApi: EnvoyApi;
beforeAll(async () => {
  api = await loadEnvoyApi({ version: '1.39.3' });
  oldApi = await loadEnvoyApi({ version: '1.36.4' });
});

function listener(manager: JsonObject, address = '0.0.0.0'): JsonObject {
  const hcm = { '@type': `type.googleapis.com/${HCM}`, stat_prefix: 'http', http_filters: [ROUTER], ...manager };
  return {
    name: 'http',
    address: { socket_address: { address, port_value: 8080 } },
    filter_chains: [{ filters: [{ name: 'hcm', typed_config: hcm }] }],
  };
}

function shop(): TestDocuments {
  return {
    bootstrap: { main: {} },
    listeners: {
      http: listener({
        rds: { route_config_name: 'main', config_source: { ads: {} } },
        http_filters: [{ $ref: 'filters/jwt' }, ROUTER],
      }),
    },
    routes: {
      main: {
        name: 'main',
        virtual_hosts: [
          { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'api' } }] },
        ],
      },
    },
    virtual_hosts: {
      'main/www.example.com': {
        name: 'www.example.com',
        domains: ['www.example.com'],
        routes: [{ match: { prefix: '/' }, route: { cluster: 'www' } }],
      },
    },
    clusters: {
      api: {
        name: 'api',
        type: 'EDS',
        eds_cluster_config: { service_name: 'api-hosts' },
        transport_socket: { $ref: 'extensions/tls' },
      },
      www: { name: 'www', type: 'STATIC' },
      unused: { name: 'unused', type: 'STATIC' },
    },
    endpoints: {
      'api-hosts': {
        cluster_name: 'api-hosts',
        endpoints: [
          { lb_endpoints: [{ endpoint: { address: { socket_address: { address: '192.0.2.1', port_value: 443 } } } }] },
        ],
      },
    },
    secrets: { ca: { name: 'ca', validation_context: { trusted_ca: { filename: 'files/ca.pem' } } } },
    filters: { jwt: [JWT, { providers: {} }] },
    extensions: {
      tls: [
        TLS,
        { common_tls_context: { validation_context_sds_secret_config: { name: 'ca', sds_config: { ads: {} } } } },
      ],
    },
  };
}

function show(translation: Translation) {
  return {
    resources: translation.resources.map(({ type, name, bytes, dependsOn, document }) => ({
      type,
      name,
      document: document ?? null,
      depends_on: dependsOn.map((ref) => `${ref.typeUrl.split('.').at(-1)}/${ref.name}`),
      resource: api.decode(type, bytes),
    })),
    bootstrap: translation.bootstrap,
    errors: translation.errors,
    used: [...translation.used].sort(),
    listener_ports: translation.listenerPorts,
  };
}

function translate(documents: TestDocuments, node: Partial<NodeInput> = {}): Translation {
  return new Translator(api).translate(new TestSource(documents), { ...TEST_NODE, ...node });
}

const find = (translation: Translation, name: string, suffix: string) => {
  const found = translation.resources.find((one) => one.name === name && one.type.endsWith(suffix));
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  return found && (api.decode(found.type, found.bytes) as any);
};

describe('translation', () => {
  const cases: Record<string, [TestDocuments, Partial<NodeInput>]> = {
    shop: [shop(), {}],
    'shop-guarded': [
      shop(),
      { shield: { socket: '/run/flotilla/web/shield.sock', threads: 1, xffTrustedHops: 1, policies: undefined } },
    ],
    'managed-address': [
      { ...shop(), listeners: { http: listener({ route_config: {} }, '@client') } },
      { addresses: ['192.0.2.10', '2001:db8::10'] },
    ],
  };
  for (const [name, [documents, node]] of Object.entries(cases)) {
    it(`matches the golden file of ${name}, and Envoy's API accepts it`, async () => {
      const translation = translate(documents, node);
      const shown = toPlain(show(translation));
      expect(shown).toEqual(await readGolden(name, shown));
      for (const { type, bytes } of translation.resources) {
        expect(api.check(type, api.decode(type, bytes)).errors).toEqual([]);
      }
      expect(api.check('envoy.config.bootstrap.v3.Bootstrap', translation.bootstrap).errors).toEqual([]);
    });
  }

  it('omits what is not referenced and what another service uses', () => {
    const names = translate(shop()).resources.map(({ name }) => name);
    expect(names).not.toContain('unused');
  });

  it('gives the same bytes again, also from a new translator', () => {
    const source = new TestSource(shop());
    const one = new Translator(api).translate(source, TEST_NODE);
    const other = new Translator(api).translate(new TestSource(shop()), TEST_NODE);
    expect(toPlain(show(one))).toEqual(toPlain(show(other)));
  });

  it('shares the bytes of nodes that do not differ in anything a document uses', () => {
    const translator = new Translator(api);
    const source = new TestSource(shop());
    const a = translator.translate(source, TEST_NODE);
    const b = translator.translate(source, {
      ...TEST_NODE,
      nodeId: 'web::p1::c2',
      xdsSocket: '/other',
      filesDir: '/elsewhere',
    });
    const bytesOf = (translation: Translation, name: string) =>
      translation.resources.find((one) => one.name === name)?.bytes;
    expect(bytesOf(a, 'api')).toBe(bytesOf(b, 'api'));
    expect(bytesOf(a, 'ca')).not.toEqual(bytesOf(b, 'ca'));
  });

  it('picks up a changed document that is inlined elsewhere', () => {
    const translator = new Translator(api);
    const source = new TestSource(shop());
    const before = find(translator.translate(source, TEST_NODE), 'api', 'Cluster');
    source.put('extensions', 'tls', TLS, { sni: 'api.example.com' });
    const after = find(translator.translate(source, TEST_NODE), 'api', 'Cluster');
    expect(before.transport_socket.typed_config.sni).toBeUndefined();
    expect(after.transport_socket.typed_config.sni).toBe('api.example.com');
  });

  it('sends virtual hosts one by one if the version supports it, otherwise inside their route configuration', () => {
    const added = { name: 'a', domains: ['a.example.com'] };
    for (const [one, expected] of [
      [api, { inline: ['all'], own: ['main/a.example.com', 'main/www.example.com'] }],
      [oldApi, { inline: ['all', 'a', 'www.example.com'], own: [] }],
    ] as const) {
      const translator = new Translator(one);
      const source = new TestSource(shop());
      const before = translator.translate(source, TEST_NODE);
      source.put('virtual_hosts', 'main/a.example.com', 'envoy.config.route.v3.VirtualHost', added);
      const after = translator.translate(source, TEST_NODE);
      const routes = find(after, 'main', 'RouteConfiguration');
      expect(routes.virtual_hosts.map(({ name }: { name: string }) => name)).toEqual(expected.inline);
      expect(routes.vhds !== undefined).toBe(expected.own.length > 0);
      const hosts = after.resources.filter(({ type }) => type.endsWith('VirtualHost'));
      expect(hosts.map(({ name }) => name)).toEqual(expected.own);
      // Envoy removes by the name of the resource.
      expect(hosts.map(({ name }) => find(after, name, 'VirtualHost').name)).toEqual(expected.own);
      expect(before.used.has('virtual_hosts/main/')).toBe(true);
      const bytesOf = (translation: Translation) => translation.resources.find(({ name }) => name === 'main')?.bytes;
      expect(Buffer.compare(bytesOf(before) ?? Buffer.alloc(0), bytesOf(after) ?? Buffer.alloc(0)) === 0).toBe(
        expected.own.length > 0,
      );
    }
  });

  it('puts the filter first into every chain, including upgrades, and does not let a document weaken how paths are read', () => {
    const documents = shop();
    documents.listeners = {
      http: listener({
        route_config: {},
        use_remote_address: false,
        normalize_path: false,
        merge_slashes: false,
        skip_xff_append: true,
        upgrade_configs: [{ upgrade_type: 'websocket', filters: [ROUTER] }, { upgrade_type: 'x' }],
      }),
    };
    const guarded = translate(documents, {
      shield: { socket: '/s', threads: 1, xffTrustedHops: 0, policies: undefined },
    });
    const manager = find(guarded, 'http', 'Listener').filter_chains[0].filters[0].typed_config;
    expect(manager).toMatchObject({ use_remote_address: false, normalize_path: true, merge_slashes: true });
    expect(manager.skip_xff_append).toBeUndefined();
    expect(manager.http_filters.map(({ name }: { name: string }) => name)).toEqual(['flotilla_shield', 'router']);
    expect(manager.upgrade_configs[0].filters.map(({ name }: { name: string }) => name)).toEqual([
      'flotilla_shield',
      'router',
    ]);
    expect(manager.upgrade_configs[1].filters).toBeUndefined();
    expect(guarded.resources.some(({ name }) => name === 'flotilla_shield')).toBe(true);
  });

  it('has one address for each thread of the filter', () => {
    const guarded = translate(shop(), { shield: { socket: '/s', threads: 3, xffTrustedHops: 0, policies: undefined } });
    const [endpoints] = find(guarded, 'flotilla_shield', 'Cluster').load_assignment.endpoints;
    expect(endpoints.lb_endpoints.map((one: { endpoint: { address: unknown } }) => one.endpoint.address)).toEqual(
      ['/s', '/s.1', '/s.2'].map((path) => ({ pipe: { path } })),
    );
  });

  describe('with policies', () => {
    const POLICY = JSON.stringify({
      apiVersion: 'flotilla.dev/v1',
      kind: 'SecurityPolicy',
      metadata: { name: 'p' },
      spec: {
        defaults: { inspect_request_body: true, max_request_body_bytes: 100_000 },
        domains: [
          { hosts: ['api.example.com'], policy: { engines: { rate_limit: { requests_per_second: 1 } } }, routes: [] },
        ],
      },
    });
    const loaded = loadPolicyFiles([{ path: 'p.json', content: POLICY }]);
    const policies = loaded.ok ? { digest: loaded.value.digest, domains: loaded.value.domains } : undefined;
    const shield = { socket: '/s', threads: 1, xffTrustedHops: 0, policies };
    const strict = { path_with_escaped_slashes_action: 'REJECT_REQUEST', strip_any_host_port: true };
    const routes = {
      virtual_hosts: [
        { name: 'api', domains: ['api.example.com'], routes: [{ match: { prefix: '/' }, route: { cluster: 'api' } }] },
        { name: 'www', domains: ['www.example.com'], routes: [{ match: { prefix: '/' }, route: { cluster: 'api' } }] },
      ],
    };
    const withListener = (manager: JsonObject, extra: JsonObject = {}): TestDocuments => ({
      ...shop(),
      virtual_hosts: {},
      routes: { main: { name: 'main', ...routes } },
      listeners: { http: { ...listener(manager), ...extra } },
    });
    const configOf = (name: string) => ({ rds: { route_config_name: name, config_source: { ads: {} } } });
    const offIn = (routeConfig: { virtual_hosts: { name: string; typed_per_filter_config?: object }[] }) =>
      routeConfig.virtual_hosts.filter((host) => host.typed_per_filter_config).map(({ name }) => name);
    const managerIn = (translation: Translation) =>
      find(translation, 'http', 'Listener').filter_chains[0].filters[0].typed_config;

    it('disables the filter on virtual hosts that no policy covers, inline and by RDS, and reports it', () => {
      const inline = translate(withListener({ ...strict, route_config: routes }), { shield });
      expect(offIn(managerIn(inline).route_config)).toEqual(['www']);
      const byRds = translate(withListener({ ...strict, ...configOf('main') }), { shield });
      expect(offIn(find(byRds, 'main', 'RouteConfiguration'))).toEqual(['www']);
      for (const { guards } of [inline, byRds]) {
        expect(guards).toEqual([expect.objectContaining({ reasons: [], unaskedHosts: 1, unaskedRoutes: 0 })]);
      }
      for (const { type, bytes } of [...inline.resources, ...byRds.resources])
        expect(api.check(type, api.decode(type, bytes)).errors).toEqual([]);
    });

    it.each<[string, JsonObject]>([
      ['escaped slashes are not refused', { ...strict, path_with_escaped_slashes_action: 'UNESCAPE_AND_FORWARD' }],
      ['the port stays', { ...strict, strip_any_host_port: false }],
      ['there are upgrades', { ...strict, upgrade_configs: [{ upgrade_type: 'websocket' }] }],
      ['headers change before', { ...strict, early_header_mutation_extensions: [{ name: 'x' }] }],
      ['a filter may choose another route', { ...strict, http_filters: [{ $ref: 'filters/jwt' }, ROUTER] }],
    ])('keeps the filter on every request if %s', (_why, manager) => {
      for (const source of [{ route_config: routes }, configOf('main')]) {
        const made = translate(withListener({ ...manager, ...source }), { shield });
        expect(JSON.stringify(toPlain(show(made)))).not.toContain('ExtProcPerRoute');
        expect(made.guards[0]?.reasons).toHaveLength(1);
      }
    });

    it('keeps the filter on routes that another listener with the filter uses', () => {
      const documents = withListener({ ...strict, ...configOf('main') });
      documents.listeners = { ...documents.listeners, other: { ...listener(configOf('main')), name: 'other' } };
      const made = translate(documents, { shield, listeners: ['http', 'other'] });
      expect(offIn(find(made, 'main', 'RouteConfiguration'))).toEqual([]);
      expect(made.guards[0]?.reasons).toEqual([expect.stringContaining('another listener takes main')]);
      expect(offIn(find(translate(documents, { shield }), 'main', 'RouteConfiguration'))).toEqual(['www']);
    });

    it('keeps the filter on all requests while the policies are unknown, and follows them when they change', () => {
      const source = new TestSource(withListener({ ...strict, ...configOf('main') }));
      const translator = new Translator(api);
      const ask = (one: typeof policies) =>
        offIn(
          find(
            translator.translate(source, { ...TEST_NODE, shield: { ...shield, policies: one } }),
            'main',
            'RouteConfiguration',
          ),
        );
      expect(ask(undefined)).toEqual([]);
      expect(ask(policies)).toEqual(['www']);
      expect(ask({ digest: 'none', domains: [] })).toEqual(['api', 'www']);
      expect(ask(policies)).toEqual(['www']);
    });

    it('reports a listener that buffers less of a body than a policy needs, and sends one that buffers enough', () => {
      const small = (bytes: number, manager: JsonObject = {}) =>
        translate(withListener({ ...manager, route_config: {} }, { per_connection_buffer_limit_bytes: bytes }), {
          shield,
        });
      expect(small(100_001).errors).toEqual([]);
      expect(find(small(100_001), 'http', 'Listener').per_connection_buffer_limit_bytes).toBe(100_001);
      const narrow = { http2_protocol_options: { initial_stream_window_size: 65_536 } };
      for (const made of [small(100_000), small(32_768, narrow), small(1_000_000, narrow)]) {
        expect(made.errors).toEqual([expect.objectContaining({ document: 'listeners/http', rule: 'shield.body_cap' })]);
        expect(made.errors[0]?.message).toContain('policy p inspects bodies of up to 100000');
        const sent = find(made, 'http', 'Listener');
        expect(sent.per_connection_buffer_limit_bytes).toBeGreaterThan(100_000);
        expect(managerIn(made).http2_protocol_options.initial_stream_window_size).toBeGreaterThan(100_000);
      }
    });

    it('reports a shield filter in a document that would let requests pass', () => {
      const own = (change: JsonObject) => {
        const typed_config = { ...(shieldFilterConfig().typed_config as JsonObject), ...change };
        const http_filters = [{ name: 'mine', typed_config }, ROUTER];
        return translate(withListener({ http_filters, route_config: {} }), { shield }).errors;
      };
      expect(own({})).toEqual([]);
      expect(own({ failure_mode_allow: true })).toEqual([
        expect.objectContaining({
          document: 'listeners/http',
          rule: 'shield.wiring',
          message: expect.stringMatching(/^the filter mine .*failure_mode_allow/),
        }),
      ]);
      expect(own({ allow_mode_override: false })).toHaveLength(1);
      expect(
        own({ failure_mode_allow: true, grpc_service: { envoy_grpc: { cluster_name: 'other' } } }),
      ).not.toContainEqual(expect.objectContaining({ rule: 'shield.wiring' }));
    });

    it('reports upgrades beside GraphQL limits that do not mention them', () => {
      const errorsWith = (graphql: JsonObject, manager: JsonObject, from: JsonObject = {}) => {
        const text = POLICY.replace('"rate_limit":{"requests_per_second":1}', `"graphql":${JSON.stringify(graphql)}`);
        const bundle = loadPolicyFiles([{ path: 'p.json', content: text }]);
        if (!bundle.ok) throw new Error(JSON.stringify(bundle.error));
        const guarded = { digest: bundle.value.digest, domains: bundle.value.domains };
        return translate(withListener({ route_config: {}, ...manager }, from), {
          shield: { ...shield, policies: guarded },
        }).errors;
      };
      const websockets = { upgrade_configs: [{ upgrade_type: 'websocket' }] };
      const expected = [
        expect.objectContaining({
          document: 'listeners/http',
          path: expect.stringMatching(/upgrade_configs$/),
          rule: 'shield.upgrades',
          message: expect.stringContaining(
            'takes upgrades (websocket), and what comes in their frames is held to no limit of policy p',
          ),
        }),
      ];
      expect(errorsWith({ max_depth: 3 }, websockets)).toEqual(expected);
      const action = { cluster: 'api', ...websockets };
      const route_config = {
        virtual_hosts: [{ name: 'a', domains: ['*'], routes: [{ match: { prefix: '/' }, route: action }] }],
      };
      expect(errorsWith({ max_depth: 3 }, { route_config })).toEqual(expected);
      for (const block_upgrades of [true, false])
        expect(errorsWith({ max_depth: 3, block_upgrades }, websockets)).toEqual([]);
      const harmless: JsonObject[] = [{ upgrade_type: 'websocket', enabled: false }, { upgrade_type: 'CONNECT' }];
      for (const entry of harmless) {
        expect(errorsWith({ max_depth: 3 }, { upgrade_configs: [entry] })).toEqual([]);
      }
      expect(translate(withListener({ ...websockets, route_config: {} }), { shield }).errors).toEqual([]);
    });

    it('limits what an HTTP/2 stream accepts, unless the document does', () => {
      const window = (manager: JsonObject, extra: JsonObject = {}) =>
        managerIn(translate(withListener({ ...manager, route_config: {} }, extra), { shield })).http2_protocol_options;
      expect(window({})).toEqual({ initial_stream_window_size: 1_048_576 });
      expect(window({}, { per_connection_buffer_limit_bytes: 4_000_000 })).toEqual({
        initial_stream_window_size: 4_000_000,
      });
      const own = { initial_stream_window_size: 2_000_000, max_concurrent_streams: 100 };
      expect(window({ http2_protocol_options: own })).toEqual(own);
    });
  });

  it('protects connection managers in a bootstrap and in referenced filters, too', () => {
    const documents: TestDocuments = {
      bootstrap: { main: { static_resources: { listeners: [listener({ route_config: {} })] } } },
      listeners: {
        http: {
          ...listener({}),
          filter_chains: [{ filters: [{ $ref: 'filters/hcm' }] }],
        },
      },
      filters: { hcm: [HCM, { stat_prefix: 'x', route_config: {}, http_filters: [ROUTER] }] },
    };
    const guarded = translate(documents, {
      shield: { socket: '/s', threads: 1, xffTrustedHops: 0, policies: undefined },
    });
    const text = JSON.stringify(guarded.bootstrap);
    expect(text).toContain('ExternalProcessor');
    expect(text).toContain('"flotilla_shield"');
    expect(guarded.resources.map(({ name }) => name)).toEqual(['http']);
    expect(find(guarded, 'http', 'Listener').filter_chains[0].filters[0].typed_config.http_filters[0].name).toBe(
      'flotilla_shield',
    );
  });

  it('reports what is missing with its place and sends the rest', () => {
    const documents = shop();
    delete documents.clusters?.www;
    documents.extensions = {};
    const { errors, resources, used } = translate(documents);
    expect(errors).toEqual([
      expect.objectContaining({ document: 'clusters/api', path: 'transport_socket', rule: 'reference.missing' }),
      expect.objectContaining({
        document: 'virtual_hosts/main/www.example.com',
        rule: 'reference.missing',
        message: 'clusters/www does not exist',
      }),
    ]);
    expect(resources.map(({ name }) => name)).toContain('main');
    // So that the node starts once the document is created.
    expect(used.has('clusters/www')).toBe(true);
    expect(used.has('extensions/tls')).toBe(true);
  });

  it('survives a cycle and a tree of references that were stored by force', () => {
    const any = (name: string) => ({ $ref: `filters/${name}` });
    const COMPOSITE = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
    const bush = (next: string): JsonObject => ({
      stat_prefix: 'x',
      access_log: Array.from({ length: 12 }, () => any(next)),
    });
    const documents: TestDocuments = {
      bootstrap: { main: {} },
      listeners: { http: { ...listener({}), filter_chains: [{ filters: [any('a')] }] } },
      filters: Object.fromEntries(
        'abcdefgh'.split('').map((name, i, all) => [name, [COMPOSITE, bush(all[i + 1] ?? 'a')]]),
      ),
    };
    const { errors, resources } = translate(documents);
    expect(errors.some(({ rule }) => rule === 'reference.size')).toBe(true);
    expect(resources.every(({ bytes }) => bytes.length < 5_000_000)).toBe(true);
  });

  it('reports a message that this Envoy does not know', () => {
    const documents = shop();
    documents.filters = { jwt: ['envoy.extensions.filters.http.from_the_future.v3.Filter', { a: 1 }] };
    const { errors, resources } = translate(documents);
    expect(errors).toEqual([expect.objectContaining({ document: 'filters/jwt', rule: 'unknown_message' })]);
    expect(resources.map(({ name }) => name)).toContain('http');
  });

  it('finds the static clusters of the bootstrap', () => {
    const documents = shop();
    delete documents.clusters?.www;
    documents.bootstrap = { main: { static_resources: { clusters: [{ name: 'www', type: 'STATIC' }] } } };
    expect(translate(documents).errors).toEqual([]);
  });

  it('treats $ref in free-form metadata as data', () => {
    const documents = shop();
    documents.clusters = {
      ...documents.clusters,
      www: { name: 'www', metadata: { filter_metadata: { x: { $ref: 'clusters/no' } } } },
    };
    const translation = translate(documents);
    expect(translation.errors).toEqual([]);
    expect(find(translation, 'www', 'Cluster').metadata.filter_metadata.x).toEqual({ $ref: 'clusters/no' });
  });
});
