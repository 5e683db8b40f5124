import type { Socket } from 'node:net';
import type { ConnectionLink } from './connection.ts';

/** So long the peer has to close its side after ours. */
const CLOSE_LINGER_MS = 1000;

/** A connection's socket. What it has not taken is counted, so that nobody's slowness becomes our memory. */
export class SocketLink implements ConnectionLink {
  readonly #socket: Socket;
  readonly #onTaken: () => void;
  progress = 0;

  constructor(socket: Socket, onBytesWritten: (bytes: number) => void) {
    this.#socket = socket;
    this.#onWritten = onBytesWritten;
    this.#onTaken = () => {
      this.progress += 1;
    };
  }

  readonly #onWritten: (bytes: number) => void;

  get unreadBytes(): number {
    return this.#socket.writableLength;
  }

  get isBusy(): boolean {
    return this.#socket.writableLength > 0;
  }

  write(bytes: Buffer): boolean {
    if (!this.#socket.writable) return true;
    this.#onWritten(bytes.length);
    this.#socket.write(bytes, this.#onTaken);
    return this.#socket.writableLength === 0;
  }

  setReading(isReading: boolean): void {
    if (isReading) this.#socket.resume();
    else this.#socket.pause();
  }

  end(): void {
    const socket = this.#socket;
    // What still arrives is read and dropped: unread bytes would make the kernel send a reset, which overtakes our last words.
    socket.resume();
    socket.end();
    setTimeout(() => socket.destroy(), CLOSE_LINGER_MS).unref();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
