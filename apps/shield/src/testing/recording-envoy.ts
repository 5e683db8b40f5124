import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import {
  type EnvoyJson,
  shieldClusterConfig,
  shieldConnectionManagerFields,
  shieldFilterConfig,
  shieldThreadAddresses,
} from '@flotilla/policy';
import { findFreePorts } from '@flotilla/testkit';
import { RawClient } from './raw-client.ts';
import { RecordingUpstream } from './recording-upstream.ts';

const START_TIMEOUT_MS = 90_000;
const TYPE = 'type.googleapis.com/envoy.extensions';

/** Differences from the generated configuration. */
export interface ListenerChanges {
  readonly manager?: EnvoyJson;
  readonly listener?: EnvoyJson;
  /** Inserted before the fields of the manager's default route configuration. */
  readonly routes?: readonly EnvoyJson[];
  readonly transport_socket?: EnvoyJson;
  /** Omits the filter. */
  readonly isOpen?: boolean;
  /** A complete listener from elsewhere; only its address is set here. */
  readonly whole?: EnvoyJson;
}

/** A real Envoy with the generated configuration, in any number of variations, in front of a recording upstream. */
export class RecordingEnvoy {
  readonly upstream = new RecordingUpstream();
  readonly #folder: string;
  readonly #shieldSocket: string;
  readonly #variations: Readonly<Record<string, ListenerChanges>>;
  readonly #extraClusters: readonly EnvoyJson[];
  readonly #threads: number;
  readonly #ports = new Map<string, number>();
  #child: ChildProcess | undefined;
  #log = '';

  constructor(options: {
    folder: string;
    shieldSocket: string;
    listeners: Readonly<Record<string, ListenerChanges>>;
    clusters?: readonly EnvoyJson[];
    /** The filter's number of threads. */
    threads?: number;
  }) {
    this.#folder = options.folder;
    this.#shieldSocket = options.shieldSocket;
    this.#variations = options.listeners;
    this.#extraClusters = options.clusters ?? [];
    this.#threads = options.threads ?? 1;
  }

  portOf(listener: string): number {
    const port = this.#ports.get(listener);
    if (port === undefined) throw new Error(`there is no listener ${listener}`);
    return port;
  }

  async start(binary: string): Promise<void> {
    const upstreamPort = await this.upstream.start();
    const names = Object.keys(this.#variations);
    const ports = await findFreePorts(names.length);
    for (const [index, name] of names.entries()) this.#ports.set(name, ports[index] ?? 0);
    const bootstrap = join(this.#folder, 'recording-envoy.json');
    await writeFile(bootstrap, JSON.stringify(this.#describe(upstreamPort)));
    const args = ['-c', bootstrap, '--disable-hot-restart', '--concurrency', '1', '-l', 'error'];
    const child = spawn(binary, [...args, '--file-flush-interval-msec', '20'], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => (this.#log += chunk.toString()));
    const deadline = performance.now() + START_TIMEOUT_MS;
    for (const name of names.filter((one) => this.#variations[one]?.listener === undefined)) {
      const client = new RawClient(this.portOf(name));
      while (!(await client.send('GET /is-it-up HTTP/1.1\r\nhost: is.it.up\r\n\r\n').catch(() => undefined))) {
        if (child.exitCode !== null || performance.now() > deadline)
          throw new Error(`Envoy did not start: ${this.#log}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      client.close();
    }
    this.upstream.seen.length = 0;
  }

  async close(): Promise<void> {
    this.upstream.close();
    if (!this.#child || this.#child.exitCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  /** Lines of `<status> <details> <path> <subject>`. */
  async accessLog(): Promise<string> {
    return readFile(join(this.#folder, 'access.log'), 'utf8');
  }

  /** Number of requests to the filter at each of its addresses. */
  async shieldRequests(): Promise<number[]> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    get({ socketPath: join(this.#folder, 'e.sock'), path: '/clusters', agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve(text));
    }).on('error', reject);
    const lines = (await promise).split('\n').filter((line) => /^flotilla_shield::.*::rq_total::/.test(line));
    return lines.map((line) => Number(line.split('::').at(-1)));
  }

  #describe(upstreamPort: number): EnvoyJson {
    const listeners = Object.entries(this.#variations).map(([name, changes]) => ({
      name,
      address: { socket_address: { address: '127.0.0.1', port_value: this.portOf(name) } },
      ...changes.listener,
      ...(changes.whole ?? this.#describeChains(changes)),
    }));
    const upstream = {
      name: 'upstream',
      type: 'STATIC',
      load_assignment: { cluster_name: 'upstream', endpoints: [{ lb_endpoints: [toEndpoint(upstreamPort)] }] },
    };
    const shield = shieldClusterConfig(
      shieldThreadAddresses({ kind: 'unix', path: this.#shieldSocket }, this.#threads),
    );
    const admin = { address: { pipe: { path: join(this.#folder, 'e.sock') } } };
    return { admin, static_resources: { listeners, clusters: [upstream, shield, ...this.#extraClusters] } };
  }

  #describeChains(changes: ListenerChanges): EnvoyJson {
    const chain = { filters: [{ name: 'http', typed_config: this.#describeManager(changes) }] };
    const { transport_socket } = changes;
    return { filter_chains: [transport_socket ? { ...chain, transport_socket } : chain] };
  }

  #describeManager({ manager, routes, isOpen }: ListenerChanges): EnvoyJson {
    const format = '%RESPONSE_CODE% %RESPONSE_CODE_DETAILS% %REQ(:PATH)% %DYNAMIC_METADATA(flotilla.shield:subject)%\n';
    return {
      '@type': `${TYPE}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
      stat_prefix: 'http',
      ...shieldConnectionManagerFields(),
      route_config: {
        virtual_hosts: [
          {
            name: 'all',
            domains: ['*'],
            routes: routes ?? [{ match: { prefix: '/' }, route: { cluster: 'upstream', timeout: '30s' } }],
          },
        ],
      },
      http_filters: [
        ...(isOpen ? [] : [shieldFilterConfig()]),
        { name: 'router', typed_config: { '@type': `${TYPE}.filters.http.router.v3.Router` } },
      ],
      access_log: [
        {
          name: 'file',
          typed_config: {
            '@type': `${TYPE}.access_loggers.file.v3.FileAccessLog`,
            path: join(this.#folder, 'access.log'),
            log_format: { text_format_source: { inline_string: format } },
          },
        },
      ],
      ...manager,
    };
  }
}

export function toEndpoint(port: number): EnvoyJson {
  return { endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: port } } } };
}
