import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EnvoyApi } from './api.ts';
import { loadEnvoyApi } from './load.ts';
import { createBase } from './testing/verdict-cases/index.ts';

const BOOTSTRAP = 'envoy.config.bootstrap.v3.Bootstrap';
const CLUSTER = 'envoy.config.cluster.v3.Cluster';
const ROUTES = 'envoy.config.route.v3.RouteConfiguration';
const LISTENER = 'envoy.config.listener.v3.Listener';
const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const SECRET = 'envoy.extensions.transport_sockets.tls.v3.Secret';
const TLS = 'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';

let api: EnvoyApi;
const url = (name: string) => `type.googleapis.com/${name}`;
const errors = (typeName: string, json: JsonValue, options?: { allowRefs?: boolean }) =>
  api.check(typeName, json, options).errors.map((error) => `${error.path}: ${error.rule}`);

beforeAll(async () => {
  api = await loadEnvoyApi({ version: '1.39.3' });
});

describe('check', () => {
  test('names every problem of a document with its path at once', () => {
    const json: JsonObject = {
      name: '',
      virtual_hosts: [
        { name: 'a', domains: [] },
        { name: 'b', domains: ['*'], routes: [{ match: {}, route: { cluster: 'c', timeout: '5' } }, { redirect: {} }] },
      ],
      metadata: { filter_metadata: { 'envoy.lb': [] } },
    };
    expect(errors(ROUTES, json)).toEqual([
      'virtual_hosts[0].domains: repeated.min_items',
      'virtual_hosts[1].routes[0].match: oneof.required',
      'virtual_hosts[1].routes[0].route.timeout: type',
      'virtual_hosts[1].routes[1].match: required',
      'metadata.filter_metadata["envoy.lb"]: type',
    ]);
  });

  test('checks inside Any with the path of the document, and quotes unusual keys', () => {
    const json: JsonObject = {
      name: 'c',
      typed_extension_protocol_options: {
        'envoy.x': {
          '@type': url('envoy.extensions.upstreams.http.v3.HttpProtocolOptions'),
          explicit_http_config: { http2_protocol_options: { max_concurrent_streams: 0 } },
        },
      },
    };
    expect(errors(CLUSTER, json)).toEqual([
      'typed_extension_protocol_options["envoy.x"].explicit_http_config.http2_protocol_options.max_concurrent_streams: uint32.gte',
    ]);
  });

  test('suggests the name that was probably meant', () => {
    const messages = api
      .check(CLUSTER, {
        name: 'c',
        conect_timeout: '1s',
        lb_policy: 'ROUND_ROBBIN',
        transport_socket: { name: 't', typed_config: { '@type': url('envoy.api.v2.auth.UpstreamTlsContext') } },
      })
      .errors.map((error) => error.message);
    expect(messages[0]).toBe(
      'envoy.config.cluster.v3.Cluster has no field "conect_timeout"; did you mean connect_timeout?',
    );
    expect(messages[1]).toMatch(/^must be one of ROUND_ROBIN, .*, not a text; did you mean ROUND_ROBIN\?$/);
    expect(messages[2]).toContain('did you mean envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext?');
  });

  test('accepts camelCase names, and rejects the same field in both spellings', () => {
    expect(errors(CLUSTER, { name: 'c', connectTimeout: '1s' })).toEqual([]);
    expect(errors(CLUSTER, { name: 'c', connectTimeout: '1s', connect_timeout: '1s' })).toEqual([
      'connect_timeout: duplicate_field',
    ]);
  });

  test('rejects a second member of a oneof at its place', () => {
    const match = { prefix: '/', path: '/x' };
    expect(errors('envoy.config.route.v3.RouteMatch', match)).toEqual(['path: oneof']);
  });

  test('accepts enum names as published examples write them', () => {
    expect(errors(CLUSTER, { name: 'c', lb_policy: 'round_robin', type: 'strict-dns' })).toEqual([]);
    const encoded = api.encode(CLUSTER, { name: 'c', lb_policy: 'least_request' });
    expect(encoded.ok && api.decode(CLUSTER, encoded.value)).toEqual({ name: 'c', lb_policy: 'LEAST_REQUEST' });
  });

  test('warns of deprecated fields and rejects those that Envoy rejects', () => {
    const deprecated = api.check('envoy.config.route.v3.HeaderMatcher', { name: 'x', exact_match: 'y' });
    expect(deprecated.errors).toEqual([]);
    expect(deprecated.warnings).toMatchObject([{ path: 'exact_match', rule: 'deprecated' }]);
    const refused = {
      actions: [{ dynamic_metadata: { descriptor_key: 'k', metadata_key: { key: 'm', path: [{ key: 'p' }] } } }],
    };
    expect(errors('envoy.config.route.v3.RateLimit', refused)).toEqual(['actions[0].dynamic_metadata: disallowed']);
    // The zero value of this enum is deprecated, and an unset field has it
    expect(errors('envoy.config.core.v3.ApiConfigSource', {})).toEqual(['api_type: disallowed']);
  });

  test('never repeats a text of the document that may be a secret', () => {
    const { errors: found } = api.check(SECRET, {
      name: 's',
      tls_certificate: { private_key: 'TOP-SECRET', password: { inline_bytes: 'TOP-SECRET!' } },
    });
    expect(found).toHaveLength(2);
    expect(JSON.stringify(found)).not.toContain('TOP-SECRET');
  });

  test('reports a message name that this version does not know', () => {
    expect(api.check('envoy.config.cluster.v3.Clusters', {}).errors).toMatchObject([
      { path: '', rule: 'unknown_message' },
    ]);
    expect(api.encode('nothing', {})).toMatchObject({ ok: false, error: [{ rule: 'unknown_message' }] });
    expect(() => api.decode('nothing', new Uint8Array())).toThrow(RangeError);
  });
});

describe('a reference', () => {
  const manager = (http_filters: JsonValue): JsonObject => ({
    stat_prefix: 'x',
    rds: { route_config_name: 'r', config_source: { ads: {} } },
    http_filters,
  });

  test('may replace an Any or a whole extension, where references are allowed', () => {
    const filters: JsonValue = [{ name: 'jwt', typed_config: { $ref: 'filters/jwt' } }, { $ref: 'filters/router' }];
    expect(errors(HCM, manager(filters), { allowRefs: true })).toEqual([]);
    expect(errors(HCM, manager(filters))).toEqual([
      'http_filters[0].typed_config: reference',
      'http_filters[1]: reference',
    ]);
    expect(api.encode(HCM, manager(filters)).ok).toBe(false);
  });

  test('must be alone and where an extension is allowed', () => {
    const allow = { allowRefs: true };
    expect(errors(HCM, manager([{ name: 'x', typed_config: { $ref: 'filters/x', y: 1 } }]), allow)).toEqual([
      'http_filters[0].typed_config: reference',
    ]);
    expect(errors(HCM, manager([{ name: 'x', typed_config: { $ref: 5 } }]), allow)).toHaveLength(1);
    expect(errors(HCM, { ...manager([]), rds: { $ref: 'x/y' } }, allow)).toEqual(['rds: reference']);
  });
});

describe('walk', () => {
  test('finds cluster names at any depth, in lists, maps and Any', () => {
    const names: string[] = [];
    api.walk(BOOTSTRAP, createBase(), {
      field: ({ field, path, value }) => {
        if (field.owner === 'envoy.config.route.v3.RouteAction' && field.name === 'cluster')
          names.push(`${path}=${String(value)}`);
        return undefined;
      },
    });
    expect(names).toEqual([
      'static_resources.listeners[0].filter_chains[0].filters[0].typed_config.route_config.virtual_hosts[0].routes[0].route.cluster=c',
    ]);
  });

  test('visits messages by type, skips references and mismatches, and can leave parts out', () => {
    const seen: string[] = [];
    const json: JsonObject = {
      name: 'l',
      bogus: { x: 1 },
      address: 'not an address',
      filter_chains: [
        {
          filters: [
            { name: 'a', typed_config: { $ref: 'filters/a' } },
            { name: 'b', typed_config: { '@type': url('no.Such') } },
          ],
        },
      ],
      access_log: [{ name: 'skipped', filter: { not_health_check_filter: {} } }],
    };
    api.walk(LISTENER, json, {
      message: ({ typeName, path }) => {
        seen.push(`${path}:${typeName.split('.').at(-1)}`);
        return typeName.endsWith('.AccessLog') ? 'skip' : undefined;
      },
    });
    expect(seen).toEqual([
      ':Listener',
      'filter_chains[0]:FilterChain',
      'filter_chains[0].filters[0]:Filter',
      'filter_chains[0].filters[1]:Filter',
      'access_log[0]:AccessLog',
    ]);
  });

  test('lists sensitive fields with the keys as the document writes them', () => {
    const context: JsonObject = {
      '@type': url(TLS),
      commonTlsContext: {
        tls_certificates: [
          { certificate_chain: { inline_string: 'c' }, privateKey: { inline_string: 'k' } },
          {
            certificate_chain: { inline_string: 'c' },
            private_key: { filename: '/k' },
            password: { inline_string: 'p' },
          },
        ],
      },
    };
    const json: JsonObject = { name: 'l', filter_chains: [{ transport_socket: { name: 't', typed_config: context } }] };
    const base = 'filter_chains[0].transport_socket.typed_config.commonTlsContext.tls_certificates';
    expect(api.sensitivePaths(LISTENER, json)).toEqual([
      `${base}[0].privateKey`,
      `${base}[1].private_key`,
      `${base}[1].password`,
    ]);
  });
});

describe('a TypedStruct', () => {
  const wrap = (type_url: string, value: JsonValue, type = 'xds.type.v3.TypedStruct'): JsonObject => ({
    name: 'x',
    typed_config: { '@type': url(type), type_url, value },
  });
  const FILE_LOG = 'envoy.extensions.access_loggers.file.v3.FileAccessLog';
  const ACCESS_LOG = 'envoy.config.accesslog.v3.AccessLog';

  test('hides nothing: its content is walked and checked as the message that Envoy creates from it', () => {
    for (const type of ['xds.type.v3.TypedStruct', 'udpa.type.v1.TypedStruct']) {
      const seen: string[] = [];
      const json = wrap(url(FILE_LOG), { path: '/etc/passwd' }, type);
      api.walk(ACCESS_LOG, json, {
        field: ({ field, path, value }) => {
          if (field.owner === FILE_LOG) seen.push(`${path}=${String(value)}`);
          return undefined;
        },
      });
      expect(seen).toEqual(['typed_config.value.path=/etc/passwd']);
      expect(errors(ACCESS_LOG, json)).toEqual([]);
      expect(errors(ACCESS_LOG, wrap(url(FILE_LOG), { paht: 'x' }, type))).toEqual([
        'typed_config.value.paht: unknown_field',
        'typed_config.value.path: string.min_len',
      ]);
    }
    const secret = wrap(url(TLS), {
      common_tls_context: { tls_certificates: [{ private_key: { inline_string: 'k' } }] },
    });
    expect(api.sensitivePaths('envoy.config.core.v3.TransportSocket', secret)).toEqual([
      'typed_config.value.common_tls_context.tls_certificates[0].private_key',
    ]);
  });

  test('may contain anything for a type that Envoy does not know, but no reference for one that it knows', () => {
    expect(errors(ACCESS_LOG, wrap('type.example.com/my.plugin', { any: [1] }))).toEqual([]);
    const filter = { filter: { $ref: 'x/y' }, name: 'l', typed_config: { $ref: 'extensions/x' } };
    const inside = wrap(url(ACCESS_LOG), filter);
    expect(errors(ACCESS_LOG, inside, { allowRefs: true })).toEqual([
      'typed_config.value.filter: reference',
      'typed_config.value.typed_config: reference',
    ]);
  });
});

describe('encode and decode', () => {
  test('give the same bytes for the same content in another order', () => {
    const one = { name: 'c', metadata: { filter_metadata: { b: { y: 1, x: 2 }, a: {} } }, type: 'EDS' };
    const two = { type: 'EDS', metadata: { filter_metadata: { a: {}, b: { x: 2, y: 1 } } }, name: 'c' };
    expect(api.encode(CLUSTER, one)).toEqual(api.encode(CLUSTER, two));
  });

  test('keep an Any of an unknown type as raw bytes', () => {
    const any = new Uint8Array([0x0a, 3, 97, 47, 98, 0x12, 2, 1, 2]);
    expect(api.decode('google.protobuf.Any', any)).toEqual({ '@type': 'a/b', $raw: 'AQI=' });
    expect(errors('google.protobuf.Any', { '@type': 'a/b', $raw: 'AQI=' })).toEqual(['@type: any.unknown_type']);
  });

  test('keep an Any whose bytes do not match its type', () => {
    const type = Buffer.from(url(CLUSTER));
    const any = Buffer.concat([Buffer.from([0x0a, type.length]), type, Buffer.from([0x12, 1, 0x0a])]);
    expect(api.decode('google.protobuf.Any', any)).toEqual({ '@type': url(CLUSTER), $raw: 'Cg==' });
  });

  test('merge the parts of a split message, and use the last member of a oneof', () => {
    const part = (json: JsonObject) => {
      const encoded = api.encode(CLUSTER, json);
      return encoded.ok ? encoded.value : new Uint8Array();
    };
    const bytes = Buffer.concat([
      part({ ring_hash_lb_config: {}, common_lb_config: { zone_aware_lb_config: {} } }),
      part({ maglev_lb_config: { table_size: '5' }, common_lb_config: { update_merge_window: '1s' } }),
    ]);
    expect(api.decode(CLUSTER, bytes)).toEqual({
      common_lb_config: { zone_aware_lb_config: {}, update_merge_window: '1s' },
      maglev_lb_config: { table_size: '5' },
    });
  });

  test('accept the largest 32-bit float and nothing beyond', () => {
    const FLOAT = 'google.protobuf.FloatValue';
    const encoded = api.encode(FLOAT, 3.4028235e38);
    expect(encoded.ok && api.decode(FLOAT, encoded.value)).toBe(3.4028235e38);
    expect(api.encode(FLOAT, 3.5e38).ok).toBe(false);
  });
});

describe('documentation', () => {
  test('links to the page of the message in this version', () => {
    expect(api.docsUrl(CLUSTER)).toBe(
      'https://www.envoyproxy.io/docs/envoy/v1.39.3/api-v3/config/cluster/v3/cluster.proto#envoy-v3-api-msg-config-cluster-v3-cluster',
    );
    expect(api.docsUrl('google.protobuf.Duration')).toBe(
      'https://protobuf.dev/reference/protobuf/google.protobuf/#duration',
    );
  });

  test('describes fields for a form', () => {
    const fields = Object.fromEntries(
      api.describe('envoy.config.core.v3.SocketAddress').fields.map((field) => [field.name, field]),
    );
    expect(fields.address).toMatchObject({ required: true, value: { kind: 'scalar', type: 'string' } });
    expect(fields.port_value).toMatchObject({ oneof: 'port_specifier', constraint: { uint32: { lte: 65535 } } });
    expect(fields.protocol).toMatchObject({ value: { kind: 'enum', values: [{ name: 'TCP' }, { name: 'UDP' }] } });
    const key = api
      .describe('envoy.extensions.transport_sockets.tls.v3.TlsCertificate')
      .fields.find((f) => f.name === 'private_key');
    expect(key).toMatchObject({ sensitive: true, value: { kind: 'message', type: 'envoy.config.core.v3.DataSource' } });
  });
});
