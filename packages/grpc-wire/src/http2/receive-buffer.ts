import { Socket } from 'node:net';

/**
 * libuv reads one socket up to 32 times before the next gets its turn. With 64 KiB, a flooding peer blocked all others
 * for 2 MiB of its frames: 70 ms of the most expensive ones. A smaller size splits bodies into too many pieces.
 */
const RECEIVE_BYTES = 16 * 1024;

/** The undocumented parts of `net.Socket`: an option, and the property that holds the operating system's socket. */
interface SocketHandle {
  useUserBuffer?: unknown;
}
interface HandleHolder {
  _handle: SocketHandle | null | undefined;
}

/**
 * One receive buffer for all connections of a thread: each read is consumed before the next begins. By default a socket
 * allocates 64 KiB for every read, a fifth of the cost of an exchange.
 *
 * `onread` is an option of client sockets only. Therefore the handle of an accepted socket is moved to a new socket
 * with that option. If a Node.js version stores its handles differently, the accepted socket is used.
 */
export class ReceiveBuffer {
  readonly #bytes = Buffer.allocUnsafeSlow(RECEIVE_BYTES);

  /** Returns the socket to use from now on. `onBytes` gets `bytes[0..length)`, valid during the call. */
  receive(accepted: Socket, onBytes: (bytes: Buffer, length: number) => void): Socket {
    const holder = accepted as unknown as HandleHolder;
    const handle = holder._handle;
    if (typeof handle?.useUserBuffer !== 'function') {
      accepted.on('data', (chunk: Buffer) => onBytes(chunk, chunk.length));
      return accepted;
    }
    holder._handle = null;
    accepted.destroy();
    const callback = (length: number): boolean => {
      onBytes(this.#bytes, length);
      return true;
    };
    const options: unknown = { handle, onread: { buffer: this.#bytes, callback } };
    return new Socket(options as ConstructorParameters<typeof Socket>[0]);
  }
}
