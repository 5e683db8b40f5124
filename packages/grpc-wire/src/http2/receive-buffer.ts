import { Socket } from 'node:net';

/**
 * libuv reads one socket up to 32 times before the next has its turn. With 64 KiB a peer that floods kept all others waiting
 * for 2 MiB of its frames, 70 ms of the dearest ones; smaller still, and bodies are read in too many pieces.
 */
const RECEIVE_BYTES = 16 * 1024;

/** What `net.Socket` takes beside its documented options, and holds as the way to the operating system's socket. */
interface SocketHandle {
  useUserBuffer?: unknown;
}
interface HandleHolder {
  _handle: SocketHandle | null | undefined;
}

/**
 * One buffer for what all connections of a thread receive: each read is consumed before the next one begins. A socket of
 * its own accord allocates 64 KiB for every read, which costs a fifth of what an exchange takes.
 *
 * `onread` is an option of sockets that one makes, not of those that a server accepts. So an accepted socket's handle
 * moves to one that has the option; where a version of Node.js holds its handles otherwise, the accepted socket serves.
 */
export class ReceiveBuffer {
  readonly #bytes = Buffer.allocUnsafeSlow(RECEIVE_BYTES);

  /** The socket to use from now on. `onBytes` gets `bytes[0..length)`, valid during the call. */
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
