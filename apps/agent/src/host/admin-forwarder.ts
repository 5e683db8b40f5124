import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { Logger } from '@flotilla/kit';
import { isServiceUid } from './identity.ts';
import { ownerOfConnection } from './tcp-owner.ts';

/** Endpoints that change something and are still let through: none ends the process, opens a port or reads a file. */
const SAFE_POSTS = new Set([
  '/healthcheck/fail',
  '/healthcheck/ok',
  '/logging',
  '/reopen_logs',
  '/reset_counters',
  '/runtime_modify',
]);
/** Endpoints that change something although they answer to GET, or hold a connection and memory for long. */
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

export type AdminVerdict = 'forward' | 'method' | 'path' | 'origin';

/** May this request reach Envoy's admin endpoint? Browsers may not, whichever page sent them. */
export function judgeAdminRequest(method: string, path: string, headers: IncomingMessage['headers']): AdminVerdict {
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  const isLocal = host === '127.0.0.1' || host === 'localhost' || host === '[::1]';
  if (!isLocal || headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none') return 'origin';
  const name = path.split('?')[0] ?? '';
  if (method === 'POST') return SAFE_POSTS.has(name) ? 'forward' : 'path';
  if (method !== 'GET' && method !== 'HEAD') return 'method';
  return REFUSED_GETS.has(name) || SAFE_POSTS.has(name) ? 'path' : 'forward';
}

/**
 * Serves the reserved admin port on loopback and passes on to the admin socket of the Envoy now in charge, so that the port
 * stays while Envoys come and go. Other services' programs are refused: their Envoy could be made to ask.
 */
export class AdminForwarder {
  readonly #options: { readonly logger: Logger; readonly target: () => string | undefined };
  #port = 0;
  #server: Server | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: { logger: Logger; target: () => string | undefined }) {
    this.#options = options;
  }

  /** Serves this port from now on, 0 for none. A busy port is tried again. */
  listen(port: number): void {
    if (port === this.#port) return;
    this.#port = port;
    this.#shut();
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
      this.#options.logger.warn({ event: 'admin.port_busy', port, err: error }, 'admin port cannot be served');
      if (this.#port !== port) return;
      this.#retry = setTimeout(() => this.#open(port), RETRY_MS);
      this.#retry.unref();
    });
    server.on('connection', (socket) => {
      const uid = ownerOfConnection(socket.remotePort ?? 0, port);
      if (uid !== undefined && isServiceUid(uid) && uid !== process.getuid?.()) socket.destroy();
    });
    server.listen(port, '127.0.0.1');
    this.#server = server;
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
    const socketPath = this.#options.target();
    if (socketPath === undefined) {
      answer.writeHead(503, { 'content-type': 'text/plain' }).end('no Envoy is running\n');
      return;
    }
    const headers = { host: 'localhost', accept: incoming.headers.accept ?? '*/*', 'content-length': '0' };
    const call = request({ socketPath, path: url, method, headers, agent: false, timeout: TIMEOUT_MS }, (response) => {
      answer.writeHead(response.statusCode ?? 502, {
        'content-type': response.headers['content-type'] ?? 'text/plain',
      });
      response.pipe(answer);
      response.on('error', () => answer.destroy());
    });
    call.on('timeout', () => call.destroy(new Error('timeout')));
    call.on('error', () => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502, { 'content-type': 'text/plain' }).end('the Envoy in charge does not answer\n');
    });
    answer.on('close', () => call.destroy());
    call.end();
  }
}
