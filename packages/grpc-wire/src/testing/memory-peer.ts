import type { CallHandler, OpenCall } from '../grpc/call.ts';
import { GrpcCall } from '../grpc/grpc-call.ts';
import { RequestHead } from '../grpc/request-head.ts';
import { Connection } from '../http2/connection.ts';
import type { ConnectionLink } from '../http2/connection-link.ts';
import { createWireCounters, type WireCounters } from '../http2/counters.ts';
import { DEFAULT_WIRE_LIMITS, type WireLimits } from '../http2/limits.ts';
import type { WireError } from '../http2/wire-error.ts';
import { type Frame, FrameCollector } from './frames.ts';

export interface MemoryPeerOptions {
  readonly path: string;
  readonly open: OpenCall;
  readonly limits?: Partial<WireLimits>;
}

/** One connection without a socket: the response to what is sent is complete when `send` returns. */
export class MemoryPeer implements ConnectionLink {
  readonly connection: Connection;
  readonly counters: WireCounters = createWireCounters();
  readonly frames: Frame[] = [];
  readonly errors: WireError[] = [];
  /** The state a socket would report. */
  isBusy = false;
  unreadBytes = 0;
  readonly progress = 0;
  isEnded = false;
  isReading = true;
  readonly #collector = new FrameCollector();

  constructor(options: MemoryPeerOptions) {
    const limits = { ...DEFAULT_WIRE_LIMITS, ...options.limits };
    this.connection = new Connection(
      {
        limits,
        counters: this.counters,
        judge: new RequestHead(options.path, limits.headerListBytes),
        link: this,
        openStream: (connection, id, verdict) => new GrpcCall(connection, id, verdict, options.open),
        onError: (error) => this.errors.push(error),
      },
      0,
    );
  }

  send(bytes: Buffer): void {
    if (this.isEnded) return;
    // Like the socket's buffer, the chunk belongs to the server only until `read` returns.
    const chunk = Buffer.from(bytes);
    this.connection.read(chunk, chunk.length);
    chunk.fill(0xaa);
  }

  write(bytes: Buffer): boolean {
    this.frames.push(...this.#collector.add(Buffer.from(bytes)));
    return true;
  }

  setReading(isReading: boolean): void {
    this.isReading = isReading;
  }

  end(): void {
    this.isEnded = true;
  }

  destroy(): void {
    this.isEnded = true;
  }

  lose(): void {
    this.isEnded = true;
    this.connection.lost();
  }
}

export interface CallLog {
  readonly messages: string[];
  end: 'none' | 'half-close' | 'abort';
}

/** A service that records what it receives, in hex, and leaves the replies to `answer`. */
export function recordCalls(answer: (call: Parameters<OpenCall>[0], message: Buffer) => void): {
  open: OpenCall;
  calls: CallLog[];
} {
  const calls: CallLog[] = [];
  const open: OpenCall = (call): CallHandler => {
    const log: CallLog = { messages: [], end: 'none' };
    calls.push(log);
    return {
      onMessage: (bytes, start, end) => {
        const message = Buffer.from(bytes.subarray(start, end));
        log.messages.push(message.toString('hex'));
        answer(call, message);
      },
      onHalfClose: () => {
        log.end = 'half-close';
        call.finish(undefined);
      },
      onAbort: () => {
        log.end = 'abort';
      },
    };
  };
  return { open, calls };
}
