import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { findFreePort } from '@flotilla/kit/testing';
import { renderEnvoyConfig } from '../envoy-config.ts';

const START_TIMEOUT_MS = 90_000;
/** Pause of the upstream between the two halves of its response to a target with `slow` in it. */
const SLOW_ANSWER_MS = 500;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

export interface Ask {
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly host?: string;
  readonly method?: string;
  /** Loopback address from which the request is sent. */
  readonly localAddress?: string;
}

/**
 * A real Envoy with two listeners in front of one upstream: `normalised` has exactly the output of `flotilla shield
 * envoy-config`; `raw` leaves paths and X-Forwarded-For unchanged, so that the filter gets them unprepared, and has
 * another filter name, like the translation.
 */
export class GuardedEnvoy {
  readonly #folder: string;
  readonly #shieldSocket: string;
  readonly ports = { normalised: 0, raw: 0 };
  /** Host and target of requests at the upstream, oldest first. */
  readonly served: string[] = [];
  #upstream: Server | undefined;
  #child: ChildProcess | undefined;
  #log = '';

  constructor(folder: string, shieldSocket: string) {
    this.#folder = folder;
    this.#shieldSocket = shieldSocket;
  }

  async start(binary: string): Promise<void> {
    this.#upstream = createServer((incoming, response) => {
      this.served.push(`${incoming.headers.host} ${incoming.url}`);
      if (incoming.url?.includes('slow')) {
        response.write('first\n');
        setTimeout(() => response.end('last\n'), SLOW_ANSWER_MS);
      } else response.end('served\n');
    });
    const upstreamPort = await listen(this.#upstream);
    this.ports.normalised = await findFreePort();
    this.ports.raw = await findFreePort();
    const bootstrap = join(this.#folder, 'envoy.json');
    await writeFile(bootstrap, JSON.stringify(this.#describe(upstreamPort)));
    const args = [
      '-c',
      bootstrap,
      '--disable-hot-restart',
      '--file-flush-interval-msec',
      '50',
      '--concurrency',
      '2',
      '-l',
      'error',
    ];
    const child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => (this.#log += chunk.toString()));
    const deadline = performance.now() + START_TIMEOUT_MS;
    for (const port of Object.values(this.ports)) {
      while (!(await this.#send(port, '/', {}).catch(() => undefined))) {
        if (child.exitCode !== null || performance.now() > deadline)
          throw new Error(`Envoy did not start: ${this.#log}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async close(): Promise<void> {
    this.#upstream?.closeAllConnections();
    this.#upstream?.close();
    if (!this.#child || this.#child.exitCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  /** Sends a request with exactly this target. */
  ask(target: string, options: Ask = {}): Promise<Answer> {
    return this.#send(this.ports.normalised, target, options);
  }

  askRaw(target: string, options: Ask = {}): Promise<Answer> {
    return this.#send(this.ports.raw, target, options);
  }

  /** The status of an HTTP/2 request with these pseudo-headers and headers. */
  async askHttp2(headers: Readonly<Record<string, string | string[]>>): Promise<number> {
    const session = connect(`http://127.0.0.1:${this.ports.raw}`);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    session.on('error', reject);
    const stream = session.request({ ':method': 'GET', ...headers });
    stream.on('response', (response) => resolve(Number(response[':status'])));
    stream.on('error', reject);
    stream.end();
    try {
      return await promise;
    } finally {
      session.destroy();
    }
  }

  async accessLog(): Promise<string> {
    return readFile(join(this.#folder, 'access.log'), 'utf8');
  }

  #send(
    port: number,
    target: string,
    { headers = {}, host = 'api.example.com', method = 'GET', localAddress = '127.0.0.1' }: Ask,
  ): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    request(
      { port, host: '127.0.0.1', path: target, method, localAddress, headers: { host, ...headers }, agent: false },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        response.on('error', reject);
      },
    )
      .on('error', reject)
      .end();
    return promise;
  }

  #describe(upstreamPort: number) {
    const printed = JSON.parse(
      renderEnvoyConfig({ listen: [{ kind: 'unix', path: this.#shieldSocket }], xffTrustedHops: 0, json: true }),
    );
    const raw = {
      normalize_path: false,
      merge_slashes: false,
      path_with_escaped_slashes_action: 'KEEP_UNCHANGED',
      skip_xff_append: true,
    };
    const [filter] = printed.http_connection_manager.http_filters;
    const http_filters = [{ ...filter, name: 'guard' }];
    const managers = {
      normalised: printed.http_connection_manager,
      raw: { ...printed.http_connection_manager, ...raw, http_filters },
    };
    const listeners = Object.entries(managers).map(([name, manager]) => ({
      name,
      address: {
        socket_address: { address: '127.0.0.1', port_value: name === 'raw' ? this.ports.raw : this.ports.normalised },
      },
      filter_chains: [{ filters: [{ name: 'http', typed_config: this.#completeManager(manager) }] }],
    }));
    const upstream = {
      name: 'upstream',
      type: 'STATIC',
      load_assignment: {
        cluster_name: 'upstream',
        endpoints: [
          {
            lb_endpoints: [
              { endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: upstreamPort } } } },
            ],
          },
        ],
      },
    };
    return { static_resources: { listeners, clusters: [upstream, ...printed.clusters] } };
  }

  #completeManager(manager: { http_filters: unknown[] }) {
    const type = 'type.googleapis.com/envoy.extensions';
    const format = { text_format_source: { inline_string: '%RESPONSE_CODE% %RESPONSE_CODE_DETAILS% %REQ(:PATH)%\n' } };
    const router = { name: 'router', typed_config: { '@type': `${type}.filters.http.router.v3.Router` } };
    return {
      ...manager,
      '@type': `${type}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
      stat_prefix: 'http',
      route_config: {
        virtual_hosts: [
          { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'upstream' } }] },
        ],
      },
      http_filters: [...manager.http_filters, router],
      access_log: [
        {
          name: 'file',
          typed_config: {
            '@type': `${type}.access_loggers.file.v3.FileAccessLog`,
            path: join(this.#folder, 'access.log'),
            log_format: format,
          },
        },
      ],
    };
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
