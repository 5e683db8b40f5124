import { createSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';

/** A syslog server that keeps what it gets. */
export interface SyslogSink {
  readonly port: number;
  text(): string;
}

export async function startTcpSink(tls?: TlsOptions): Promise<SyslogSink> {
  const chunks: string[] = [];
  const sockets = new Set<Socket>();
  const take = (socket: Socket) => {
    sockets.add(socket);
    socket.on('data', (chunk) => chunks.push(chunk.toString())).on('error', () => undefined);
  };
  const server: Server = tls ? createTlsServer(tls, take).on('tlsClientError', () => undefined) : createServer(take);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: portOf(server.address()), text: () => chunks.join('') };
}

export async function startUdpSink(): Promise<SyslogSink> {
  const chunks: string[] = [];
  const socket = createSocket('udp4', (message) => chunks.push(`${message.toString()}\n`));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void socket.close());
  return { port: socket.address().port, text: () => chunks.join('') };
}

function portOf(address: ReturnType<Server['address']>): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
