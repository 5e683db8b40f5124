import { type EnvoyApi, type JsonObject, loadEnvoyApi } from '@flotilla/envoy-api';
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
    'shop-guarded': [shop(), { shield: { socket: '/run/flotilla/web/shield.sock', threads: 1, xffTrustedHops: 1 } }],
    'managed-address': [
      { ...shop(), listeners: { http: listener({ route_config: {} }, '@client') } },
      { addresses: ['192.0.2.10', '2001:db8::10'] },
    ],
  };
  for (const [name, [documents, node]] of Object.entries(cases)) {
    it(`makes of ${name} what the golden file says, and Envoy's API takes it`, async () => {
      const translation = translate(documents, node);
      const shown = toPlain(show(translation));
      expect(shown).toEqual(await readGolden(name, shown));
      for (const { type, bytes } of translation.resources) {
        expect(api.check(type, api.decode(type, bytes)).errors).toEqual([]);
      }
      expect(api.check('envoy.config.bootstrap.v3.Bootstrap', translation.bootstrap).errors).toEqual([]);
    });
  }

  it('leaves out what nothing reaches and what another service uses', () => {
    const names = translate(shop()).resources.map(({ name }) => name);
    expect(names).not.toContain('unused');
  });

  it('makes the same bytes again, also from a fresh translator', () => {
    const source = new TestSource(shop());
    const one = new Translator(api).translate(source, TEST_NODE);
    const other = new Translator(api).translate(new TestSource(shop()), TEST_NODE);
    expect(toPlain(show(one))).toEqual(toPlain(show(other)));
  });

  it('shares the bytes of nodes that differ in nothing a document uses', () => {
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

  it('sees a changed document that is inlined elsewhere', () => {
    const translator = new Translator(api);
    const source = new TestSource(shop());
    const before = find(translator.translate(source, TEST_NODE), 'api', 'Cluster');
    source.put('extensions', 'tls', TLS, { sni: 'api.example.com' });
    const after = find(translator.translate(source, TEST_NODE), 'api', 'Cluster');
    expect(before.transport_socket.typed_config.sni).toBeUndefined();
    expect(after.transport_socket.typed_config.sni).toBe('api.example.com');
  });

  it('sends virtual hosts one by one where the version takes them, else as parts of their route configuration', () => {
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

  it('puts the filter first into every chain, upgrades included, and does not let a document soften how paths are read', () => {
    const documents = shop();
    documents.listeners = {
      http: listener({
        route_config: {},
        use_remote_address: false,
        normalize_path: false,
        merge_slashes: false,
        upgrade_configs: [{ upgrade_type: 'websocket', filters: [ROUTER] }, { upgrade_type: 'x' }],
      }),
    };
    const guarded = translate(documents, { shield: { socket: '/s', threads: 1, xffTrustedHops: 0 } });
    const manager = find(guarded, 'http', 'Listener').filter_chains[0].filters[0].typed_config;
    expect(manager).toMatchObject({ use_remote_address: false, normalize_path: true, merge_slashes: true });
    expect(manager.http_filters.map(({ name }: { name: string }) => name)).toEqual(['flotilla_shield', 'router']);
    expect(manager.upgrade_configs[0].filters.map(({ name }: { name: string }) => name)).toEqual([
      'flotilla_shield',
      'router',
    ]);
    expect(manager.upgrade_configs[1].filters).toBeUndefined();
    expect(guarded.resources.some(({ name }) => name === 'flotilla_shield')).toBe(true);
  });

  it('names one address for each thread of the filter', () => {
    const guarded = translate(shop(), { shield: { socket: '/s', threads: 3, xffTrustedHops: 0 } });
    const [endpoints] = find(guarded, 'flotilla_shield', 'Cluster').load_assignment.endpoints;
    expect(endpoints.lb_endpoints.map((one: { endpoint: { address: unknown } }) => one.endpoint.address)).toEqual(
      ['/s', '/s.1', '/s.2'].map((path) => ({ pipe: { path } })),
    );
  });

  it('guards connection managers of a bootstrap and of referenced filters, too', () => {
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
    const guarded = translate(documents, { shield: { socket: '/s', threads: 1, xffTrustedHops: 0 } });
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
    // So that the document, once made, brings the node to life.
    expect(used.has('clusters/www')).toBe(true);
    expect(used.has('extensions/tls')).toBe(true);
  });

  it('survives a circle and a bush of references that were stored by force', () => {
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

  it('knows the static clusters of the bootstrap and does not miss them', () => {
    const documents = shop();
    delete documents.clusters?.www;
    documents.bootstrap = { main: { static_resources: { clusters: [{ name: 'www', type: 'STATIC' }] } } };
    expect(translate(documents).errors).toEqual([]);
  });

  it('takes $ref in free-form metadata for what it is', () => {
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
