import type { ConnectionLink } from './connection-link.ts';
import type { TimeLimitsPort } from './connection-ports.ts';
import { ERROR_CODE } from './protocol.ts';

/** State of the header block that is being read. */
export interface BlockProgress {
  readonly isInBlock: boolean;
  readonly blockSinceMs: number;
}

/** Time limits of a connection and its streams, checked on the server's ticks. */
export class TimeLimits {
  readonly #connection: TimeLimitsPort;
  readonly #link: ConnectionLink;
  readonly #sinceMs: number;
  #busyAtMs: number;
  #stuckSinceMs: number;
  #progress = 0;
  /** Bytes have arrived since the last tick. */
  hasRead = false;

  constructor(connection: TimeLimitsPort, link: ConnectionLink, nowMs: number) {
    this.#connection = connection;
    this.#link = link;
    this.#sinceMs = nowMs;
    this.#busyAtMs = nowMs;
    this.#stuckSinceMs = nowMs;
  }

  /** Returns the limit that the connection exceeded, if any. */
  overrun(nowMs: number, block: BlockProgress, hasSettings: boolean): 'slow_reader' | 'preface' | 'idle' | undefined {
    const { limits, streams } = this.#connection;
    if (this.hasRead || streams.size > 0) this.#busyAtMs = nowMs;
    this.hasRead = false;
    if (this.#link.unreadBytes === 0 || this.#link.progress !== this.#progress) {
      this.#progress = this.#link.progress;
      this.#stuckSinceMs = nowMs;
    }
    if (nowMs - this.#stuckSinceMs > limits.slowReaderMs) return 'slow_reader';
    if (!hasSettings && nowMs - this.#sinceMs > limits.prefaceMs) return 'preface';
    if (block.isInBlock && nowMs - block.blockSinceMs > limits.prefaceMs) return 'preface';
    if (nowMs - this.#busyAtMs > limits.idleMs) return 'idle';
    return undefined;
  }

  /** Resets streams that cannot send, and forgets those that the peer does not end. */
  resetStalled(nowMs: number): void {
    const connection = this.#connection;
    const { limits, counters, streams } = connection;
    // If no stream needs a check, skips the loop: there can be as many silent calls as memory allows.
    if (connection.running === streams.size && connection.sender.queuedBytes === 0) return;
    for (const stream of streams.list()) {
      if (stream.isLocalEnded) {
        if (nowMs - stream.endedAtMs <= limits.lingerMs) continue;
        counters.limits.linger += 1;
        connection.reset(stream, ERROR_CODE.noError);
      } else if (stream.queue !== undefined && nowMs - stream.stalledSinceMs > limits.windowStallMs) {
        counters.limits.window_stall += 1;
        connection.reset(stream, ERROR_CODE.enhanceYourCalm);
      }
    }
  }
}
