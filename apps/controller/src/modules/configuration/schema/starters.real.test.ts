import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { StarterRecord } from '@flotilla/contract';
import { type EnvoyApi, type JsonObject, loadEnvoyApi } from '@flotilla/envoy-api';
import { createServerCertificate, ensureTestEnvoy, TEST_ENVOY_CACHE_DIR, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listStarters } from './starters.ts';

const COUNT = 29;
const run = promisify(execFile);

describe.each(TIER_ENVOY_VERSIONS)('starters, loaded by Envoy %s', (version) => {
  let dir: string;
  let binary: string;
  let api: EnvoyApi;
  let starters: readonly StarterRecord[];
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'starters-'));
    const { certificatePem, privateKeyPem } = await createServerCertificate('site.example.com');
    await writeFile(join(dir, 'site.crt'), certificatePem);
    await writeFile(join(dir, 'site.key'), privateKeyPem);
    await writeFile(join(dir, 'ca.crt'), certificatePem);
    const { path, sha256 } = await ensureTestEnvoy(version);
    binary = path;
    const cacheDir = join(TEST_ENVOY_CACHE_DIR, 'descriptors');
    api = await loadEnvoyApi({ version, binaryPath: path, binarySha256: sha256, cacheDir });
    starters = listStarters(api);
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it('all exist with unique ids, and none is deprecated', () => {
    expect(starters.length).toBe(COUNT);
    expect(new Set(starters.map(({ id }) => id)).size).toBe(COUNT);
    for (const { id, type, resource } of starters) {
      expect(api.check(type, resource as JsonObject, { allowRefs: true }), id).toEqual({ errors: [], warnings: [] });
    }
  });

  it('are accepted by Envoy, each in its place', async () => {
    const refused: string[] = [];
    for (const starter of starters) {
      const said = await validate(starter);
      if (said !== undefined) refused.push(`${starter.id}: ${said}`);
    }
    expect(refused).toEqual([]);
  });

  async function validate(starter: StarterRecord): Promise<string | undefined> {
    const file = join(dir, `${starter.id}.json`);
    // Replaces what a service and its client would fill in.
    const text = JSON.stringify(wrap(starter)).replaceAll('@client', '127.0.0.1').replaceAll('files/', `${dir}/`);
    await writeFile(file, text);
    const flags = ['--mode', 'validate', '--disable-hot-restart', '-l', 'error', '-c', file];
    return run(binary, flags).then(
      () => undefined,
      (error: { stderr?: string }) => error.stderr?.slice(0, 600) ?? 'no reason',
    );
  }
});

const ROUTER = {
  name: 'router',
  typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
};

/** Wraps the starter in a bootstrap, which Envoy loads completely. */
function wrap({ collection, type, resource }: StarterRecord): JsonObject {
  const message = resource as JsonObject;
  const extension = { name: 'x', typed_config: { '@type': `type.googleapis.com/${type}`, ...message } };
  switch (collection) {
    case 'bootstrap':
      return { ...bootstrap({}), ...message };
    case 'listeners':
      return bootstrap({ listeners: [message] });
    case 'routes':
      return bootstrap({ listeners: [listener({ route_config: message })] });
    case 'virtual_hosts':
      return bootstrap({ listeners: [listener({ route_config: { virtual_hosts: [message] } })] });
    case 'clusters':
      return bootstrap({ clusters: [message] });
    case 'endpoints':
      return bootstrap({ clusters: [{ name: 'e', type: 'STATIC', load_assignment: message }] });
    case 'secrets':
      return bootstrap({ clusters: [usingSecret(message)], secrets: [message] });
    case 'filters':
      return bootstrap({
        listeners: [listener({ http_filters: type.endsWith('.Router') ? [extension] : [extension, ROUTER] })],
      });
    case 'extensions':
      return bootstrap({ listeners: [listener({ access_log: [extension] })] });
  }
}

const HTTP2 = {
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
    '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
    explicit_http_config: { http2_protocol_options: {} },
  },
};

/** A cluster that uses the secret, so that Envoy loads it. */
function usingSecret({ name, tls_certificate: certificate }: JsonObject): JsonObject {
  const secret = { name: String(name) };
  const context: JsonObject =
    certificate === undefined
      ? { validation_context_sds_secret_config: secret }
      : { tls_certificate_sds_secret_configs: [secret] };
  const config = {
    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
    common_tls_context: context,
  };
  return { name: 's', type: 'STATIC', transport_socket: { name: 'tls', typed_config: config } };
}

function bootstrap(statics: { listeners?: JsonObject[]; clusters?: JsonObject[]; secrets?: JsonObject[] }): JsonObject {
  const clusters = statics.clusters ?? [];
  const taken = new Set(clusters.map(({ name }) => name));
  const others = ['backend', 'backend-next', 'api', 'issuer', 'authorization', 'xds']
    .filter((name) => !taken.has(name))
    .map((name) => ({ name, type: 'STATIC', typed_extension_protocol_options: HTTP2 }));
  return {
    node: { id: 'n', cluster: 'c' },
    dynamic_resources: {
      ads_config: {
        api_type: 'DELTA_GRPC',
        transport_api_version: 'V3',
        grpc_services: [{ envoy_grpc: { cluster_name: 'xds' } }],
      },
    },
    static_resources: {
      listeners: statics.listeners ?? [],
      clusters: [...clusters, ...others],
      secrets: statics.secrets ?? [],
    },
  };
}

function listener(manager: JsonObject): JsonObject {
  const routes = { route_config: { virtual_hosts: [{ name: 'a', domains: ['*'] }] } };
  const config = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: 'x',
    http_filters: [ROUTER],
    ...routes,
    ...manager,
  };
  return {
    name: 'l',
    address: { socket_address: { address: '127.0.0.1', port_value: 0 } },
    filter_chains: [{ filters: [{ name: 'hcm', typed_config: config }] }],
  };
}
