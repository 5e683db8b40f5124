import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** The head as received, one character per byte. */
  readonly head: string;
  readonly body: Buffer;
}

const ANSWER_TIMEOUT_MS = 90_000;

/**
 * An HTTP/1.1 client that sends exactly the given bytes, one request after the other over one connection; reopens a
 * connection that the peer closed for the next request.
 */
export class RawClient {
  readonly #port: number;
  #socket: Socket | undefined;
  #received = Buffer.alloc(0);
  #onChange: () => void = () => undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** The final response to one request, without interim ones (100 Continue). Rejects if none arrives. */
  async send(request: string | Buffer): Promise<RawAnswer> {
    const socket = this.#open();
    socket.write(typeof request === 'string' ? Buffer.from(request, 'latin1') : request);
    return this.read();
  }

  /** Writes without waiting for a response. */
  write(bytes: string | Buffer): void {
    this.#open().write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** The next response; includes interim ones on request. */
  async read(options: { interim?: boolean } = {}): Promise<RawAnswer> {
    const deadline = performance.now() + ANSWER_TIMEOUT_MS;
    for (;;) {
      const answer = this.#take();
      if (answer && (answer.status >= 200 || options.interim === true)) {
        if (answer.status >= 200 && /\r\nconnection: close/i.test(answer.head)) this.close();
        return answer;
      }
      if (answer) continue;
      if (this.#socket === undefined)
        throw new Error(`the connection ended after ${this.#received.toString('latin1')}`);
      await this.#changed(deadline);
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#received = Buffer.alloc(0);
  }

  #open(): Socket {
    if (this.#socket) return this.#socket;
    const socket = connect(this.#port, '127.0.0.1');
    this.#socket = socket;
    this.#received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      if (this.#socket === socket) this.#received = Buffer.concat([this.#received, chunk]);
      this.#onChange();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#onChange();
    });
    return socket;
  }

  #changed(deadline: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(
      () => reject(new Error(`no answer in time after ${this.#received.toString('latin1')}`)),
      Math.max(0, deadline - performance.now()),
    );
    this.#onChange = () => {
      clearTimeout(timer);
      resolve();
    };
    return promise;
  }

  /** Envoy frames its own responses by length, and so does the test upstream. */
  #take(): RawAnswer | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const head = this.#received.subarray(0, end).toString('latin1');
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const total = end + 4 + length;
    if (this.#received.length < total) return undefined;
    const body = this.#received.subarray(end + 4, total);
    this.#received = this.#received.subarray(total);
    return { status: Number(head.split(' ')[1]), head, body };
  }
}
