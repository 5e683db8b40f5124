import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { Backoff, type Logger } from '@flotilla/kit';
import { createSecretRedactor } from './ads-secret.ts';
import { type ServiceSocket, withServiceSocket } from './service-socket.ts';
import { type ConnectionOwners, ownerOfListener } from './tcp-owner.ts';

/** Allowed endpoints that change something. None of them ends the process, opens a port or reads a file. */
const SAFE_POSTS = new Set([
  '/healthcheck/fail',
  '/healthcheck/ok',
  '/logging',
  '/reopen_logs',
  '/reset_counters',
  '/runtime_modify',
]);
/** Endpoints with an effect although they accept GET, or that use a connection and memory for a long time. */
const REFUSED_GETS = new Set([
  '/quitquitquit',
  '/drain_listeners',
  '/tap',
  '/cpuprofiler',
  '/heapprofiler',
  '/heap_dump',
  '/allocprofiler',
]);
const LOOPBACK = '127.0.0.1';
const TIMEOUT_MS = 30_000;
/** Operators and scrapers need few. A service cannot make the agent hold more. */
const CONNECTIONS_MAX = 128;
const RETRY_MS = 2_000;
const RETRY_MAX_FACTOR = 30;

export type AdminVerdict = 'forward' | 'method' | 'path' | 'origin';

/** Decides whether a request may access Envoy's admin endpoint. Requests of browsers are refused, whatever their page. */
export function judgeAdminRequest(method: string, path: string, headers: IncomingMessage['headers']): AdminVerdict {
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  const isLocal = host === '127.0.0.1' || host === 'localhost' || host === '[::1]';
  if (!isLocal || headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none') return 'origin';
  const name = path.split('?')[0] ?? '';
  if (method === 'POST') return SAFE_POSTS.has(name) ? 'forward' : 'path';
  if (method !== 'GET' && method !== 'HEAD') return 'method';
  return REFUSED_GETS.has(name) || SAFE_POSTS.has(name) ? 'path' : 'forward';
}

export interface AdminForwarderOptions {
  readonly logger: Logger;
  /** Returns the admin socket of the Envoy in charge. */
  readonly target: () => ServiceSocket | undefined;
  readonly isServiceUid: (uid: number) => boolean;
  readonly owners: ConnectionOwners;
  /** Delay after the first failure. It grows by up to thirty times. Default: two seconds. */
  readonly retryMs?: number;
  /** Called when `problem` has changed. */
  readonly onProblem: () => void;
}

/**
 * Serves the reserved admin port on loopback and forwards to the admin socket of the current Envoy, so that the port stays
 * open while Envoys are replaced. Refuses programs of services, because tenants can make an Envoy send requests.
 */
export class AdminForwarder {
  readonly #options: AdminForwarderOptions;
  #port = 0;
  #server: Server | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Whether the program at the other end may use the port. Requests wait for it. */
  readonly #verdicts = new WeakMap<Socket, Promise<boolean>>();
  readonly #backoff: Backoff;
  #problem = '';

  constructor(options: AdminForwarderOptions) {
    this.#options = options;
    const initialMs = options.retryMs ?? RETRY_MS;
    this.#backoff = new Backoff({ initialMs, maxMs: RETRY_MAX_FACTOR * initialMs, jitter: 0.2 });
  }

  /** The reason why the port is not served. Empty if it is served. */
  get problem(): string {
    return this.#problem;
  }

  /** Serves this port from now on, or no port if it is 0. Retries a busy port with growing delays. */
  listen(port: number): void {
    if (port === this.#port) return;
    this.#port = port;
    this.#shut();
    this.#backoff.reset();
    this.#setProblem('');
    if (port !== 0) this.#open(port);
  }

  async close(): Promise<void> {
    this.#port = 0;
    const server = this.#server;
    this.#shut();
    if (server?.listening) await new Promise<void>((resolve) => server.once('close', () => resolve()));
  }

  #open(port: number): void {
    const server = createServer((incoming, answer) => {
      this.#serve(incoming, answer).catch(() => answer.destroy());
    });
    server.maxConnections = CONNECTIONS_MAX;
    server.on('error', (error) => {
      if (this.#port !== port) return;
      this.#retry = setTimeout(() => this.#open(port), this.#backoff.next());
      this.#retry.unref();
      this.#reportBusy(port, error).catch((failure: unknown) =>
        this.#options.logger.warn({ err: failure }, 'cannot tell which program uses an admin port'),
      );
    });
    server.on('connection', (socket) => {
      const verdict = this.#judge(socket, port).catch(() => false);
      this.#verdicts.set(socket, verdict);
      verdict.then((isAllowed) => isAllowed || socket.destroy()).catch(() => undefined);
    });
    server.on('listening', () => this.#setProblem(''));
    server.listen(port, LOOPBACK);
    this.#server = server;
  }

  async #reportBusy(port: number, error: Error): Promise<void> {
    const problem = await describeBusyPort(port, error);
    if (this.#port !== port || this.#server?.listening) return;
    // The same problem is logged only once.
    if (problem !== this.#problem) this.#options.logger.warn({ event: 'admin.port_busy', port, problem }, problem);
    this.#setProblem(problem);
  }

  /** Refuses an unknown owner, because a service may have closed its connection after it sent the request. */
  async #judge(socket: Socket, port: number): Promise<boolean> {
    const client = { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 };
    const uid = await this.#options.owners.ownerOf(client, { address: LOOPBACK, port });
    if (uid === undefined) return process.platform !== 'linux';
    return uid === process.getuid?.() || !this.#options.isServiceUid(uid);
  }

  #setProblem(problem: string): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem();
  }

  #shut(): void {
    clearTimeout(this.#retry);
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#server = undefined;
  }

  async #serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    if ((await this.#verdicts.get(incoming.socket)) !== true) return;
    const { method = 'GET', url = '/' } = incoming;
    const verdict = judgeAdminRequest(method, url, incoming.headers);
    if (verdict !== 'forward') {
      answer.writeHead(verdict === 'method' ? 405 : 403, { 'content-type': 'text/plain' });
      answer.end(`refused: ${verdict} not allowed on this port\n`);
      return;
    }
    const socket = this.#options.target();
    if (socket === undefined) {
      answer.writeHead(503, { 'content-type': 'text/plain' }).end('no Envoy is running\n');
      return;
    }
    withServiceSocket(socket, (socketPath) => forward(socketPath, incoming, answer)).catch(() => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502, { 'content-type': 'text/plain' }).end('Envoy does not answer\n');
    });
  }
}

async function describeBusyPort(port: number, error: Error): Promise<string> {
  if (!('code' in error) || error.code !== 'EADDRINUSE')
    return `the admin port ${port} cannot be served: ${error.message}`;
  const uid = await ownerOfListener(port);
  const who = uid === undefined ? 'another program' : `a program of user ${uid}`;
  return `the admin port ${port} is in use by ${who} on this host, which answers there instead of this service's Envoy. Stop that program`;
}

/** Resolves when Envoy has begun to respond. Rejects if it does not. */
function forward(socketPath: string, incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/' } = incoming;
  return new Promise((resolve, reject) => {
    const headers = { host: 'localhost', accept: incoming.headers.accept ?? '*/*', 'content-length': '0' };
    const call = request({ socketPath, path: url, method, headers, agent: false, timeout: TIMEOUT_MS }, (response) => {
      answer.writeHead(response.statusCode ?? 502, {
        'content-type': response.headers['content-type'] ?? 'text/plain',
      });
      // Envoy's configuration dump contains its bootstrap, which includes the ADS secret.
      pipeline(response, createSecretRedactor(), answer, () => undefined);
      resolve();
    });
    call.on('timeout', () => call.destroy(new Error('timeout')));
    call.on('error', reject);
    answer.on('close', () => call.destroy());
    call.end();
  });
}
