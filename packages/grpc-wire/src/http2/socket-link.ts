import type { Socket } from 'node:net';
import type { ConnectionLink } from './connection-link.ts';
import type { WireCounters } from './counters.ts';

/** How long the peer has to close its side after ours. */
const CLOSE_LINGER_MS = 1000;

const NOTHING = Buffer.alloc(0);

/** The socket of a connection. Counts the bytes it has not taken, so that a slow peer cannot use up our memory. */
export class SocketLink implements ConnectionLink {
  readonly #socket: Socket;
  readonly #counters: WireCounters;
  readonly #onTaken: () => void;
  #wasBusy = false;
  progress = 0;

  /** `onDrained` is called when the socket has taken everything, after a `write` that returned false. */
  constructor(socket: Socket, counters: WireCounters, onDrained: () => void) {
    this.#socket = socket;
    this.#counters = counters;
    // The socket's `drain` event would not do: it does not report writes below the high-water mark.
    this.#onTaken = () => {
      this.progress += 1;
      if (!this.#wasBusy || this.isBusy) return;
      this.#wasBusy = false;
      onDrained();
    };
  }

  get unreadBytes(): number {
    return this.#socket.writableLength;
  }

  get isBusy(): boolean {
    return this.#socket.writableLength > 0;
  }

  write(bytes: Buffer): boolean {
    if (!this.#socket.writable) return true;
    this.#counters.bytesWritten += bytes.length;
    this.#socket.write(bytes);
    if (this.#socket.writableLength === 0) return true;
    this.#wasBusy = true;
    // A separate empty write reports this. A callback on every write would double its cost, and nearly all writes are
    // taken at once.
    this.#socket.write(NOTHING, this.#onTaken);
    return false;
  }

  setReading(isReading: boolean): void {
    if (isReading) this.#socket.resume();
    else this.#socket.pause();
  }

  end(): void {
    const socket = this.#socket;
    // Reads and drops what still arrives: unread bytes would make the kernel send a reset, which can overtake our last
    // frames.
    socket.resume();
    socket.end();
    setTimeout(() => socket.destroy(), CLOSE_LINGER_MS).unref();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
