import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

interface Stored {
  readonly index: string;
  readonly document: Readonly<Record<string, unknown>>;
}

type Judge = (document: Readonly<Record<string, unknown>>) => number;

export interface SearchSinkOptions {
  readonly tls?: ServerOptions | undefined;
  /** The value of the header that requests need. */
  readonly authorization?: string | undefined;
  readonly port?: number;
}

/**
 * A server that speaks the part of Elasticsearch's `_bulk` that shippers use. Like it, it refuses bodies that are no NDJSON, stores
 * each id once, and answers 409 to the next `create` of the same id.
 */
export class SearchSink {
  readonly stored = new Map<string, Stored>();
  /** Problems with requests: a shipper never causes one. */
  readonly complaints: string[] = [];
  requests = 0;
  /** The status of whole requests. `cut`: the connection ends without an answer. */
  mode: number | 'cut' = 200;
  /** The status of a document that is not stored yet. */
  judge: Judge = () => 201;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #options: SearchSinkOptions;
  #port: number;

  constructor(options: SearchSinkOptions = {}) {
    this.#options = options;
    this.#port = options.port ?? 0;
  }

  static async start(options?: SearchSinkOptions): Promise<SearchSink> {
    const sink = new SearchSink(options);
    await sink.open();
    onTestFinished(() => sink.close());
    return sink;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `${this.#options.tls ? 'https://localhost' : 'http://127.0.0.1'}:${this.#port}`;
  }

  messages(): string[] {
    return [...this.stored.values()].map(({ document }) => String(document.message));
  }

  /** Opens the server again at the same port. */
  async open(): Promise<void> {
    const listener: RequestListener = (request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    };
    const { tls } = this.#options;
    const server: Server = tls ? createTlsServer(tls, listener) : createServer(listener);
    server.on('connection', (socket) => this.#sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Ends at once, with everything that is under way. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const server = this.#server;
    if (server?.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    this.requests += 1;
    const send = (status: number, answer: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    if (this.mode === 'cut') return void request.socket.destroy();
    const refuse = (status: number, reason: string) => send(status, { error: { type: 'test', reason }, status });
    const { authorization } = this.#options;
    if (authorization !== undefined && request.headers.authorization !== authorization)
      return void refuse(401, 'missing authentication');
    if (this.mode !== 200) return void refuse(this.mode, 'not now');
    const items = this.#store(request, body);
    if (items) send(200, { took: 1, errors: items.some(({ create }) => create.status >= 300), items });
    else refuse(400, this.complaints.at(-1) ?? '');
  }

  #store(request: IncomingMessage, body: string) {
    const complain = (what: string) => {
      this.complaints.push(what);
      return undefined;
    };
    if (request.method !== 'POST' || !request.url?.startsWith('/_bulk'))
      return complain(`${request.method} ${request.url}`);
    if (request.headers['content-type'] !== 'application/x-ndjson') return complain('no NDJSON');
    if (!body.endsWith('\n')) return complain('no line feed at the end');
    const lines = body.slice(0, -1).split('\n');
    if (lines.length % 2 !== 0) return complain('an action without its document');
    const items: { create: { status: number; error?: { type: string; reason: string } } }[] = [];
    for (let i = 0; i < lines.length; i += 2) {
      const { create } = JSON.parse(lines[i] ?? '') as { create: { _id: string; _index: string } };
      const document = JSON.parse(lines[i + 1] ?? '') as Record<string, unknown>;
      const status = this.stored.has(create._id) ? 409 : this.judge(document);
      if (status < 300) this.stored.set(create._id, { index: create._index, document });
      items.push({
        create: { status, ...(status >= 300 && { error: { type: 'test_exception', reason: 'as asked' } }) },
      });
    }
    return items;
  }
}
