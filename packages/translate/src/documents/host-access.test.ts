import { type EnvoyApi, loadEnvoyApi } from '@flotilla/envoy-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { findHostAccess } from './host-access.ts';
import { findReservedUse } from './reserved.ts';
import { isFileField, isServiceFile } from './service-files.ts';

let api: EnvoyApi;
beforeAll(async () => {
  api = await loadEnvoyApi({ version: '1.39.3' });
});

describe('files of a service', () => {
  it('are below files/ and nowhere else', () => {
    for (const path of ['files/a', 'files/a/b.pem', 'files/.hidden', 'files/a..b', 'files/...']) {
      expect(isServiceFile(path), path).toBe(true);
    }
    for (const path of [
      'files',
      'files/',
      'files/.',
      'files/..',
      'files/../x',
      'files/a/../../x',
      'files/a/..',
      'files//etc',
      '/files/a',
      './files/a',
      'filesx/a',
      'files/a\n/../..',
      'files\\..\\x',
      'files/%2e%2e/x/..',
    ]) {
      expect(isServiceFile(path), path).toBe(false);
    }
  });

  it('apply to every field that names a file', () => {
    // Fields that only sound like files, or that are used only inside a message that is rejected as a whole.
    const known = new Set([
      'envoy.config.bootstrap.v3.RuntimeLayer.DiskLayer.subdirectory',
      'envoy.config.bootstrap.v3.Runtime.subdirectory',
      'envoy.config.bootstrap.v3.Runtime.override_subdirectory',
    ]);
    const missed = api.messages().flatMap((message) =>
      (api.registry.getMessage(message)?.fields ?? [])
        .filter((field) => field.fieldKind === 'scalar' && /(?:file|dir|directory)(?:name|path)?$/.test(field.name))
        .map((field) => `${message}.${field.name}`)
        .filter((name) => /^envoy\.(?:config|extensions)\./.test(name) && !known.has(name))
        .filter((name) => !isFileField(message, name.slice(message.length + 1)))
        .filter((name) => !/credentials_profile|\.profile$|default_file$/.test(name)),
    );
    expect(missed).toEqual([]);
  });
});

describe('host access', () => {
  const pathsOf = (type: string, resource: object) =>
    findHostAccess(api, type, resource as never).map(({ path }) => path);
  const socket = (address: string, port_value: unknown = 33_100) => ({
    cluster_name: 'x',
    endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address, port_value } } } }] }],
  });
  const ENDPOINTS = 'envoy.config.endpoint.v3.ClusterLoadAssignment';

  it('includes admin ports on every spelling of loopback, and no others', () => {
    for (const address of [
      '127.0.0.1',
      '127.1.2.3',
      '0.0.0.0',
      '::1',
      '::',
      '0:0:0:0:0:0:0:1',
      '::ffff:127.0.0.1',
      '::ffff:0.0.0.0',
      '::ffff:7f00:1',
      '0:0:0:0:0:ffff:7f00:1',
      'localhost',
      'LOCALHOST',
      'localhost.',
    ]) {
      expect(pathsOf(ENDPOINTS, socket(address)), address).toHaveLength(1);
    }
    expect(pathsOf(ENDPOINTS, socket('127.0.0.1', '33100'))).toHaveLength(1);
    expect(pathsOf(ENDPOINTS, socket('192.0.2.1'))).toEqual([]);
    expect(pathsOf(ENDPOINTS, socket('127.0.0.1', 8080))).toEqual([]);
  });

  it('is found deep inside Any', () => {
    const wasm = {
      name: 'x',
      typed_config: {
        '@type': 'type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm',
        config: {
          vm_config: { code: { local: { filename: '/x.wasm' } }, environment_variables: { host_env_keys: ['HOME'] } },
        },
      },
    };
    expect(pathsOf('envoy.config.core.v3.TypedExtensionConfig', wasm)).toEqual([
      'typed_config',
      'typed_config.config',
      'typed_config.config.vm_config',
      'typed_config.config.vm_config.code.local.filename',
      'typed_config.config.vm_config.environment_variables',
      'typed_config.config.vm_config.environment_variables.host_env_keys[0]',
    ]);
  });

  it('includes code in a TypedStruct in any spelling of its type, and content that cannot be checked', () => {
    const carried = (type_url: string) => ({
      name: 'x',
      typed_config: {
        '@type': 'type.googleapis.com/xds.type.v3.TypedStruct',
        type_url,
        value: { inline_code: 'io.open("/etc/passwd")' },
      },
    });
    const lua = 'envoy.extensions.filters.http.lua.v3.Lua';
    for (const url of [lua, `/${lua}`, `type.googleapis.com/${lua}`, `a/b/${lua}`, 'x/of.nobody', '']) {
      expect(pathsOf('envoy.config.core.v3.TypedExtensionConfig', carried(url)), url).toHaveLength(1);
    }
    const fault = 'envoy.extensions.filters.http.fault.v3.HTTPFault';
    expect(pathsOf('envoy.config.core.v3.TypedExtensionConfig', carried(fault))).toEqual([]);
  });

  it('includes formatters of the host in every form of a format', () => {
    const LOG = 'envoy.extensions.access_loggers.file.v3.FileAccessLog';
    const bytes = Buffer.from('%FILE_CONTENT(/etc/passwd)%').toString('base64');
    for (const log_format of [
      { json_format: { a: { b: ['%ENVIRONMENT(HOME)%'] } } },
      { text_format_source: { inline_string: '%ENVIRONMENT(HOME)%' } },
      { text_format_source: { inline_bytes: bytes } },
      { text_format_source: { filename: 'files/format' } },
    ]) {
      expect(pathsOf(LOG, { path: 'files/log', log_format }), JSON.stringify(log_format)).toHaveLength(1);
    }
    expect(pathsOf(LOG, { path: 'files/log', log_format: { json_format: { a: '%PROTOCOL%' } } })).toEqual([]);
  });

  it('includes configuration from elsewhere, except for sources that are replaced anyway', () => {
    const foreign = {
      api_config_source: { api_type: 'GRPC', grpc_services: [{ envoy_grpc: { cluster_name: 'mine' } }] },
    };
    const HTTP = 'envoy.extensions.filters.network.http_connection_manager.v3';
    expect(pathsOf('envoy.extensions.filters.http.on_demand.v3.OnDemand', { odcds: { source: foreign } })).toEqual([
      'odcds.source',
    ]);
    expect(pathsOf(`${HTTP}.HttpConnectionManager`, { scoped_routes: { rds_config_source: foreign } })).toEqual([
      'scoped_routes.rds_config_source',
    ]);
    expect(
      pathsOf('envoy.config.bootstrap.v3.Bootstrap', {
        hds_config: { api_type: 'GRPC' },
        default_config_source: { path: 'files/x' },
        layered_runtime: { layers: [{ name: 'x', rtds_layer: { name: 'x', rtds_config: foreign } }] },
      }),
    ).toEqual(['hds_config', 'default_config_source', 'layered_runtime.layers[0].rtds_layer.rtds_config']);
    expect(
      pathsOf(`${HTTP}.HttpConnectionManager`, { rds: { route_config_name: 'x', config_source: foreign } }),
    ).toEqual([]);
    expect(pathsOf('envoy.extensions.filters.http.on_demand.v3.OnDemand', { odcds: { source: { ads: {} } } })).toEqual(
      [],
    );
  });

  it('includes connection state and metadata that choose a cluster or an address', () => {
    const STATE = 'envoy.extensions.filters.network.set_filter_state.v3.Config';
    const set = (value: object) => ({
      on_new_connection: [{ ...value, format_string: { text_format_source: { inline_string: 'flotilla_xds' } } }],
    });
    for (const value of [
      { object_key: 'envoy.tcp_proxy.cluster' },
      { object_key: 'x', factory_key: 'envoy.tcp_proxy.cluster' },
      { object_key: 'envoy.network.transport_socket.original_dst_address' },
    ]) {
      expect(pathsOf(STATE, set(value)), JSON.stringify(value)).toEqual(['on_new_connection[0]']);
    }
    expect(pathsOf(STATE, set({ object_key: 'example.tenant' }))).toEqual([]);
    const cluster = { original_dst_lb_config: { metadata_key: { key: 'x', path: [{ key: 'y' }] } } };
    expect(pathsOf('envoy.config.cluster.v3.Cluster', cluster)).toEqual(['original_dst_lb_config.metadata_key']);
  });

  it('does not allow the use of reserved names', () => {
    const hcm = { http_filters: [{ name: 'flotilla_shield' }] };
    const found = findReservedUse(
      api,
      'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
      hcm,
    );
    expect(found.map(({ path }) => path)).toEqual(['http_filters[0].name']);
  });
});
