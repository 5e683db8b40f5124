import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EnvoyApi, type JsonObject, loadEnvoyApi } from '@flotilla/envoy-api';
import { ensureTestEnvoy, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { findHostAccess } from './host-access.ts';

export const CLUSTER = 'envoy.config.cluster.v3.Cluster';
export const LISTENER = 'envoy.config.listener.v3.Listener';
export const BOOTSTRAP = 'envoy.config.bootstrap.v3.Bootstrap';
export const ROUTES = 'envoy.config.route.v3.RouteConfiguration';
export const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

export const any = (type: string, content: JsonObject = {}): JsonObject => ({
  '@type': `type.googleapis.com/${type}`,
  ...content,
});

/** A listener with one network filter, whose configuration is at `AT`. */
export const network = (type: string, content: JsonObject = {}): JsonObject => ({
  filter_chains: [{ filters: [{ name: 'x', typed_config: any(type, content) }] }],
});
export const AT = 'filter_chains[0].filters[0].typed_config';

const endpoints = (address: string, port_value: number | string): JsonObject => ({
  load_assignment: {
    endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address, port_value } } } }] }],
  },
});

export interface Tenant {
  readonly version: string;
  /** Available only inside a test. */
  readonly api: EnvoyApi;
  /** The paths of what only owners may use. */
  pathsOf(type: string, resource: JsonObject): string[];
  /** Whether a tenant's cluster may have this endpoint. */
  isFree(address: string, port: number | string): boolean;
}

/** Runs the tests against the oldest and the newest Envoy of the tests, each with the messages of its own binary. */
export function describeTenants(body: (tenant: Tenant) => void): void {
  describe.each(TIER_ENVOY_VERSIONS)('a tenant of Envoy %s', (version) => {
    let api: EnvoyApi;
    let cacheDir: string;
    beforeAll(async () => {
      cacheDir = await mkdtemp(join(tmpdir(), 'envoy-attacks-'));
      const { path, sha256 } = await ensureTestEnvoy(version);
      api = await loadEnvoyApi({ version, binaryPath: path, binarySha256: sha256, cacheDir });
    });
    afterAll(() => rm(cacheDir, { recursive: true, force: true }));

    const pathsOf = (type: string, resource: JsonObject) => findHostAccess(api, type, resource).map(({ path }) => path);
    body({
      version,
      get api() {
        return api;
      },
      pathsOf,
      isFree: (address, port) => pathsOf(CLUSTER, endpoints(address, port)).length === 0,
    });
  });
}
