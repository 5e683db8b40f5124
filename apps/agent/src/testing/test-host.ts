import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { createEnvoyDist, createModuleStore } from '@flotilla/envoy-dist';
import { createSilentLogger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { ensureTestEnvoy, TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { openServiceHost } from '../host/service-host.ts';
import type { ServiceHost, ServiceHostOptions } from '../host/types.ts';
import { Supervisor } from '../host/units/supervisor.ts';
import { SystemdRunner } from '../host/units/systemd.ts';
import type { UnitRunner } from '../host/units/types.ts';
import { FakeSystemd } from './fake-systemd.ts';

/** The folders of one agent. Tests start and stop hosts on them. */
export interface TestHost {
  readonly base: string;
  readonly dirs: ServiceHostOptions['dirs'];
  open(options?: Partial<ServiceHostOptions>): ServiceHost;
  /** Stops everything that still runs and removes the folders. */
  destroy(): Promise<void>;
}

export async function createTestHost(backend: 'supervisor' | 'systemd' = 'supervisor'): Promise<TestHost> {
  const base = await mkdtemp(join(tmpdir(), 'fh-'));
  await chmod(base, 0o755);
  const dirs = { runtimeDir: join(base, 'run'), dataDir: join(base, 'data') };
  const hosts = new Set<ServiceHost>();
  const logger = createSilentLogger();
  const unitDir = join(base, 'systemd');
  await mkdir(unitDir);
  const { systemctl } = new FakeSystemd(unitDir);
  const createRunner = (): UnitRunner =>
    backend === 'systemd'
      ? new SystemdRunner({ dataDir: dirs.dataDir, logger, unitDir, systemctl })
      : new Supervisor({ dataDir: dirs.dataDir, logger });
  const open = (options: Partial<ServiceHostOptions> = {}) => {
    const host = openServiceHost(
      {
        dirs,
        logger,
        flotillaCommand: [process.execPath],
        envoyDist: createEnvoyDist({ cacheDir: TEST_ENVOY_CACHE_DIR, env: {} }),
        modules: createModuleStore(join(dirs.dataDir, 'waf')),
        sharesEnvoys: true,
        drain: { drainS: 1, shutdownS: 2 },
        liveTimeoutMs: 15_000,
        ...options,
      },
      createRunner(),
    );
    hosts.add(host);
    return host;
  };
  return {
    base,
    dirs,
    open,
    async destroy() {
      for (const host of hosts) await host.close({ stopServices: false });
      const last = open();
      last.setDesired(create(fleet.DesiredStateSchema, {}));
      for (const report of [...last.reports()]) await last.settled(report.serviceId, 0n);
      await last.settled('none', 0n);
      await last.close({ stopServices: true });
      await rm(base, { recursive: true, force: true });
    },
  };
}

export interface TestService {
  readonly serviceId?: string;
  readonly generation?: bigint;
  readonly port: number;
  readonly adminPort?: number;
  readonly body?: string;
  readonly version?: string;
  readonly runState?: fleet.RunState;
  readonly bootstrap?: unknown;
  readonly shield?: fleet.ShieldSpec;
  readonly drainTimeS?: number;
}

export function desiredOf(...services: readonly TestService[]): fleet.DesiredState {
  return create(fleet.DesiredStateSchema, {
    revision: 1n,
    services: services.map((one) => ({
      serviceId: one.serviceId ?? 'svc',
      name: one.serviceId ?? 'svc',
      projectId: 'p',
      nodeId: `${one.serviceId ?? 'svc'}::p::c`,
      generation: one.generation ?? 1n,
      envoyVersion: one.version ?? TEST_ENVOY_VERSIONS.newest,
      bootstrapJson: Buffer.from(JSON.stringify(one.bootstrap ?? bootstrapOf(one.port, one.body))),
      adminPort: one.adminPort ?? 0,
      runState: one.runState ?? fleet.RunState.RUNNING,
      listenerPorts: [one.port],
      drainTimeS: one.drainTimeS ?? 0,
      ...(one.shield ? { shield: one.shield } : {}),
    })),
  });
}

/** Returns a bootstrap with which Envoy answers every request directly, after the milliseconds of x-envoy-fault-delay-request. */
export function bootstrapOf(port: number, body = 'one', listener: Readonly<Record<string, unknown>> = {}): unknown {
  const router = {
    name: 'envoy.filters.http.router',
    typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
  };
  const fault = {
    name: 'envoy.filters.http.fault',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault',
      delay: { header_delay: {}, percentage: { numerator: 100 } },
    },
  };
  const manager = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: 'test',
    http_filters: [fault, router],
    route_config: {
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [{ match: { prefix: '/' }, direct_response: { status: 200, body: { inline_string: body } } }],
        },
      ],
    },
  };
  return {
    node: { id: 'n', cluster: 'c' },
    static_resources: {
      listeners: [
        {
          name: 'main',
          address: { socket_address: { address: '127.0.0.1', port_value: port } },
          filter_chains: [{ filters: [{ name: 'hcm', typed_config: manager }] }],
          ...listener,
        },
      ],
    },
  };
}

/** Sends a request on a new connection and returns the answer, or undefined when it cannot connect. */
export async function ask(port: number): Promise<string | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
    return await answer.text();
  } catch {
    return undefined;
  }
}

export async function eventually<T>(probe: () => Promise<T | undefined> | T | undefined, ms = 90_000): Promise<T> {
  const until = performance.now() + ms;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > until) throw new Error(`not within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export { ensureTestEnvoy, TEST_ENVOY_VERSIONS };
