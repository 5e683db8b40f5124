import type { Socket } from 'node:net';
import type { ConnectionLink } from './connection-options.ts';
import type { WireCounters } from './counters.ts';

/** So long the peer has to close its side after ours. */
const CLOSE_LINGER_MS = 1000;

const NOTHING = Buffer.alloc(0);

/** A connection's socket. What it has not taken is counted, so that nobody's slowness becomes our memory. */
export class SocketLink implements ConnectionLink {
  readonly #socket: Socket;
  readonly #counters: WireCounters;
  readonly #onTaken: () => void;
  #wasBusy = false;
  progress = 0;

  /** `onDrained` is called when the socket has taken everything again, after a `write` that said otherwise. */
  constructor(socket: Socket, counters: WireCounters, onDrained: () => void) {
    this.#socket = socket;
    this.#counters = counters;
    // Not the socket's `drain`: it is silent about writes under its high-water mark.
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
    // Not with the write itself: nearly all of them are taken at once, and being told so costs as much again.
    this.#socket.write(NOTHING, this.#onTaken);
    return false;
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
