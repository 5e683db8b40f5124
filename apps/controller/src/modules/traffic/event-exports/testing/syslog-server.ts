import { Buffer } from 'node:buffer';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { listenAsUpstream } from '@flotilla/testkit';
import { type ParsedMessage, parseSyslog } from './syslog-parser.ts';

/**
 * read   as a receiver does
 * crawl  reads one byte a second
 * mute   reads everything and never closes its side
 * reset  breaks the connection at the first byte; not with TLS
 */
export type SyslogManner = 'read' | 'crawl' | 'mute' | 'reset';

/** A strict receiver of syslog on loopback: RFC 5424 messages with octet counting (RFC 6587, 3.4.1), also over TLS (RFC 5425). */
export class SyslogServer {
  readonly messages: ParsedMessage[] = [];
  /** Whatever a strict receiver would refuse. */
  readonly problems: string[] = [];
  connections = 0;
  manner: SyslogManner = 'read';
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.port = (server.address() as AddressInfo).port;
  }

  static async open(tls?: TlsOptions, port?: number): Promise<SyslogServer> {
    const sockets = new Set<Socket>();
    const create = () =>
      tls ? createTlsServer({ ...tls, allowHalfOpen: true }) : createServer({ allowHalfOpen: true });
    const server = port === undefined ? await listenAsUpstream(create) : await listenOn(create(), port);
    const opened = new SyslogServer(server, sockets);
    server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => opened.#accept(socket));
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    });
    return opened;
  }

  get ids(): string[] {
    return this.messages.flatMap(({ elements }) => Object.values(elements).flatMap(({ id }) => id ?? []));
  }

  #accept(socket: Socket): void {
    this.connections += 1;
    socket.on('error', () => undefined);
    switch (this.manner) {
      case 'reset':
        socket.once('data', () => socket.resetAndDestroy());
        return;
      case 'crawl':
        socket.pause();
        setInterval(() => socket.read(1), 1000).unref();
        return;
      case 'mute':
        socket.resume();
        return;
      case 'read':
        this.#read(socket);
    }
  }

  #read(socket: Socket): void {
    let bytes: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes = this.#takeFrames(Buffer.concat([bytes, chunk]));
    });
    socket.on('end', () => {
      if (bytes.length > 0) this.problems.push(`${bytes.length} bytes after the last frame`);
      socket.end();
    });
  }

  #takeFrames(given: Buffer): Buffer {
    let bytes = given;
    for (;;) {
      const space = bytes.indexOf(32);
      if (space < 0) return bytes;
      const length = bytes.subarray(0, space).toString('latin1');
      if (!/^[1-9]\d{0,6}$/.test(length)) {
        this.problems.push(`no length: ${JSON.stringify(length.slice(0, 80))}`);
        return Buffer.alloc(0);
      }
      const end = space + 1 + Number(length);
      if (bytes.length < end) return bytes;
      try {
        this.messages.push(parseSyslog(bytes.subarray(space + 1, end)));
      } catch (error) {
        this.problems.push(String(error));
      }
      bytes = bytes.subarray(end);
    }
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

async function listenOn(server: Server, port: number): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}
