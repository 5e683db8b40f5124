import { type EnvoyApi, loadEnvoyApi } from '@flotilla/envoy-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { findHostAccess, findReservedUse, isFileField, isServiceFile } from './host-access.ts';

let api: EnvoyApi;
beforeAll(async () => {
  api = await loadEnvoyApi({ version: '1.39.3' });
});

describe('files of a service', () => {
  it('lie below files/ and nowhere else', () => {
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

  it('are meant by every field that names a file', () => {
    // Fields that are no files although they sound like it, or that are only used inside a message that is refused as a whole.
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

  it('sees admin ports on every spelling of loopback, and no others', () => {
    for (const address of [
      '127.0.0.1',
      '127.1.2.3',
      '0.0.0.0',
      '::1',
      '::',
      '0:0:0:0:0:0:0:1',
      '::ffff:127.0.0.1',
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

  it('finds what lies deep inside Any', () => {
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
      'typed_config.config.vm_config.code.local.filename',
      'typed_config.config.vm_config.environment_variables.host_env_keys[0]',
    ]);
  });

  it('keeps names of the controller from being used', () => {
    const hcm = { http_filters: [{ name: 'flotilla_shield' }] };
    const found = findReservedUse(
      api,
      'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
      hcm,
    );
    expect(found.map(({ path }) => path)).toEqual(['http_filters[0].name']);
  });
});
