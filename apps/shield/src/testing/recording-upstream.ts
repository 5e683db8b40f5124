import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** One request as it arrived at the upstream, one character per byte. */
export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  /** Values of a header, in order of its lines. */
  header(name: string): string[];
  /** Content without its transfer coding. */
  readonly body: Buffer;
}

/**
 * An HTTP/1.1 server that does not interpret requests: it records targets and headers as received and responds 200 with
 * the target as the body, which HEAD gets no bytes of.
 */
export class RecordingUpstream {
  readonly seen: SeenRequest[] = [];
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  async start(): Promise<number> {
    const server = createServer((socket) => this.#serve(socket));
    this.#server = server;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server?.close();
  }

  #serve(socket: Socket): void {
    let received = Buffer.alloc(0);
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (let taken = takeRequest(received); taken; taken = takeRequest(received)) {
        received = received.subarray(taken.length);
        this.seen.push(taken.request);
        const body = Buffer.from(taken.request.target, 'latin1');
        const head = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
        socket.write(taken.request.method === 'HEAD' ? head : Buffer.concat([head, body]));
      }
    });
  }
}

function takeRequest(bytes: Buffer): { request: SeenRequest; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const method = first.slice(0, first.indexOf(' '));
  const target = first.slice(method.length + 1, first.lastIndexOf(' '));
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const header = (name: string) => headers.filter(([key]) => key === name).map(([, value]) => value);
  const content = header('transfer-encoding').includes('chunked')
    ? takeChunks(bytes, end + 4)
    : takeLength(bytes, end + 4, Number(header('content-length')[0]) || 0);
  return content && { request: { method, target, header, body: content.body }, length: content.end };
}

function takeLength(bytes: Buffer, from: number, length: number): { body: Buffer; end: number } | undefined {
  return bytes.length < from + length ? undefined : { body: bytes.subarray(from, from + length), end: from + length };
}

/** RFC 9112 section 7.1. */
function takeChunks(bytes: Buffer, from: number): { body: Buffer; end: number } | undefined {
  const chunks: Buffer[] = [];
  let at = from;
  for (;;) {
    const line = bytes.indexOf('\r\n', at);
    if (line === -1) return undefined;
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16);
    if (size === 0) {
      const isBare = bytes.subarray(line + 2, line + 4).toString('latin1') === '\r\n';
      const end = isBare ? line + 2 : bytes.indexOf('\r\n\r\n', line);
      return end < 0 || bytes.length < line + 4
        ? undefined
        : { body: Buffer.concat(chunks), end: isBare ? line + 4 : end + 4 };
    }
    at = line + 2 + size + 2;
    if (bytes.length < at) return undefined;
    chunks.push(bytes.subarray(line + 2, line + 2 + size));
  }
}
