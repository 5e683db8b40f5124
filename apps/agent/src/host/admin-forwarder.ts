import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { Backoff, type Logger } from '@flotilla/kit';
import { createSecretRedactor } from './ads-secret.ts';
import { type ServiceSocket, withServiceSocket } from './service-socket.ts';
import { ownerOfConnection, ownerOfListener } from './tcp-owner.ts';

/** Endpoints that change something and are allowed: none ends the process, opens a port or reads a file. */
const SAFE_POSTS = new Set([
  '/healthcheck/fail',
  '/healthcheck/ok',
  '/logging',
  '/reopen_logs',
  '/reset_counters',
  '/runtime_modify',
]);
/** Endpoints that have an effect although they answer to GET, or hold a connection and memory for long. */
const REFUSED_GETS = new Set([
  '/quitquitquit',
  '/drain_listeners',
  '/tap',
  '/cpuprofiler',
  '/heapprofiler',
  '/heap_dump',
  '/allocprofiler',
]);
const TIMEOUT_MS = 30_000;
const RETRY_MS = 2_000;
const RETRY_MAX_FACTOR = 30;

export type AdminVerdict = 'forward' | 'method' | 'path' | 'origin';

/** Decides whether a request may access Envoy's admin endpoint. Browsers may not, whichever page sent the request. */
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
  /** The admin socket of the Envoy in charge. */
  readonly target: () => ServiceSocket | undefined;
  readonly isServiceUid: (uid: number) => boolean;
  /** Delay after the first failure, growing up to thirtyfold. Default: two seconds. */
  readonly retryMs?: number;
  /** `problem` has changed. */
  readonly onProblem: () => void;
}

/**
 * Serves the reserved admin port on loopback and forwards to the admin socket of the current Envoy, so that the port
 * stays while Envoys come and go. Refuses programs of other services, because their Envoy could be made to send
 * requests.
 */
export class AdminForwarder {
  readonly #options: AdminForwarderOptions;
  #port = 0;
  #server: Server | undefined;
  #retry: NodeJS.Timeout | undefined;
  readonly #backoff: Backoff;
  #problem = '';

  constructor(options: AdminForwarderOptions) {
    this.#options = options;
    const initialMs = options.retryMs ?? RETRY_MS;
    this.#backoff = new Backoff({ initialMs, maxMs: RETRY_MAX_FACTOR * initialMs, jitter: 0.2 });
  }

  /** Why the port is not served; otherwise empty. */
  get problem(): string {
    return this.#problem;
  }

  /** Serves this port from now on, 0 for none. Retries a busy port with growing delays. */
  listen(port: number): void {
    if (port === this.#port) return;
    this.#port = port;
    this.#shut();
    this.#backoff.reset();
    this.#tell('');
    if (port !== 0) this.#open(port);
  }

  async close(): Promise<void> {
    this.#port = 0;
    const server = this.#server;
    this.#shut();
    if (server?.listening) await new Promise<void>((resolve) => server.once('close', () => resolve()));
  }

  #open(port: number): void {
    const server = createServer((incoming, answer) => this.#serve(incoming, answer));
    server.on('error', (error) => {
      if (this.#port !== port) return;
      const problem = describeBusyPort(port, error);
      // Logged once, however long it lasts
      if (problem !== this.#problem) this.#options.logger.warn({ event: 'admin.port_busy', port, problem }, problem);
      this.#tell(problem);
      this.#retry = setTimeout(() => this.#open(port), this.#backoff.next());
      this.#retry.unref();
    });
    server.on('connection', (socket) => {
      if (!this.#mayConnect(ownerOfConnection(socket.remotePort ?? 0, port))) socket.destroy();
    });
    server.on('listening', () => this.#tell(''));
    server.listen(port, '127.0.0.1');
    this.#server = server;
  }

  /** The unknown owner of a closed connection may be a service that has already sent its request. */
  #mayConnect(uid: number | undefined): boolean {
    if (uid === undefined) return process.platform !== 'linux';
    return uid === process.getuid?.() || !this.#options.isServiceUid(uid);
  }

  #tell(problem: string): void {
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

  #serve(incoming: IncomingMessage, answer: ServerResponse): void {
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
      else answer.writeHead(502, { 'content-type': 'text/plain' }).end('the Envoy in charge does not answer\n');
    });
  }
}

function describeBusyPort(port: number, error: Error): string {
  if (!('code' in error) || error.code !== 'EADDRINUSE')
    return `the admin port ${port} cannot be served: ${error.message}`;
  const uid = ownerOfListener(port);
  const who = uid === undefined ? 'another program' : `a program of user ${uid}`;
  return `the admin port ${port} is taken by ${who} of this host, which answers there in the place of this service's Envoy`;
}

/** Resolves when Envoy has begun to respond; rejects if it does not. */
function forward(socketPath: string, incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/' } = incoming;
  return new Promise((resolve, reject) => {
    const headers = { host: 'localhost', accept: incoming.headers.accept ?? '*/*', 'content-length': '0' };
    const call = request({ socketPath, path: url, method, headers, agent: false, timeout: TIMEOUT_MS }, (response) => {
      answer.writeHead(response.statusCode ?? 502, {
        'content-type': response.headers['content-type'] ?? 'text/plain',
      });
      // Envoy's configuration dump contains its start configuration
      pipeline(response, createSecretRedactor(), answer, () => undefined);
      resolve();
    });
    call.on('timeout', () => call.destroy(new Error('timeout')));
    call.on('error', reject);
    answer.on('close', () => call.destroy());
    call.end();
  });
}
