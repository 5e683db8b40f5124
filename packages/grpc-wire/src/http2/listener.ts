import { createServer, type Socket } from 'node:net';
import { Connection } from './connection.ts';
import type { ConnectionOptions } from './connection-options.ts';
import { ReceiveBuffer } from './receive-buffer.ts';
import { SocketLink } from './socket-link.ts';

/**
 * Only the kernel's keepalive probes detect a peer whose machine is gone: it sends nothing, and a connection with a
 * silent call is never idle. Unix sockets ignore both options.
 */
const SOCKET_OPTIONS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };

export type ListenAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

export interface ListenerOptions extends Omit<ConnectionOptions, 'link'> {
  onConnection(): void;
  onReadBegin(): void;
  onReadEnd(): void;
}

/** Accepts connections, ticks them, and closes them in order. */
export class WireListener {
  readonly #options: ListenerOptions;
  readonly #server = createServer(SOCKET_OPTIONS, (socket) => this.#accept(socket));
  readonly #connections = new Map<Connection, Socket>();
  readonly #received = new ReceiveBuffer();
  #ticking: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;
  #lastClosed = Promise.withResolvers<void>();

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async listen(address: ListenAddress): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    if (address.kind === 'unix') this.#server.listen(address.path, resolve);
    else this.#server.listen(address.port, address.host, resolve);
    await promise;
    this.#server.off('error', reject);
    this.#server.on('error', (cause) => {
      this.#options.onError({ scope: 'connection', code: 0, reason: 'the listening socket failed', cause });
    });
    this.#ticking = setInterval(() => this.#tick(), this.#options.limits.tickMs).unref();
  }

  close(graceMs: number): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#server.listening) this.#server.close(() => resolve());
    else resolve();
    this.#lastClosed = Promise.withResolvers<void>();
    for (const connection of this.#connections.keys()) connection.shutdown();
    const cut = setTimeout(() => {
      for (const socket of this.#connections.values()) socket.destroy();
    }, graceMs);
    await promise;
    // The server reports its close before its last socket is closed.
    if (this.#connections.size > 0) await this.#lastClosed.promise;
    clearTimeout(cut);
    clearInterval(this.#ticking);
  }

  #tick(): void {
    const nowMs = performance.now();
    for (const connection of this.#connections.keys()) connection.tick(nowMs);
  }

  #accept(accepted: Socket): void {
    const { limits, counters, onReadBegin, onReadEnd } = this.#options;
    if (this.#connections.size >= limits.connections) {
      counters.limits.connections += 1;
      accepted.destroy();
      return;
    }
    counters.connections += 1;
    counters.openConnections += 1;
    const socket = this.#received.receive(accepted, (bytes, length) => {
      onReadBegin();
      connection.read(bytes, length);
      onReadEnd();
    });
    const link = new SocketLink(socket, counters, () => connection.onDrained());
    const connection: Connection = new Connection({ ...this.#options, link }, performance.now());
    this.#connections.set(connection, socket);
    let failure: Error | undefined;
    socket.on('error', (error) => {
      failure = error;
    });
    socket.on('close', () => {
      counters.openConnections -= 1;
      this.#connections.delete(connection);
      connection.lost(failure);
      if (this.#connections.size === 0) this.#lastClosed.resolve();
    });
    this.#options.onConnection();
  }
}
