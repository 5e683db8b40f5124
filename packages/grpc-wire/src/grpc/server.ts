import { createWireCounters, type WireCounters } from '../http2/counters.ts';
import { DEFAULT_WIRE_LIMITS, type WireLimits } from '../http2/limits.ts';
import { type ListenAddress, WireListener } from '../http2/listener.ts';
import type { WireError } from '../http2/wire-error.ts';
import type { OpenCall } from './call.ts';
import { GrpcCall } from './grpc-call.ts';
import { RequestHead } from './request-head.ts';

export interface GrpcServerOptions {
  /** `/package.Service/Method`, the one method served. */
  readonly path: string;
  /** Called once per call, synchronously: the handler hears everything that follows. */
  readonly open: OpenCall;
  readonly limits?: Partial<WireLimits>;
  /** Hears what went wrong, up to thousands of times a second; must not throw. */
  readonly onError?: (error: WireError) => void;
  readonly onConnection?: () => void;
  /** Called before what one read of a socket brought is handled, and behind it: many calls may lie between the two. */
  readonly onReadBegin?: () => void;
  readonly onReadEnd?: () => void;
  /** Counters that outlive the server; its own otherwise. */
  readonly counters?: WireCounters;
}

export interface GrpcServer {
  /** Resolves when connections can arrive; rejects when the address cannot be had. Port 0: see `port`. */
  listen(address: ListenAddress): Promise<void>;
  /** Takes no new calls, lets the running ones end for at most `graceMs`, then cuts them. Resolves when all is closed. */
  close(graceMs: number): Promise<void>;
  /** The TCP port listened on; 0 with a Unix socket and before `listen`. */
  readonly port: number;
  readonly counters: Readonly<WireCounters>;
}

/** gRPC over HTTP/2 with prior knowledge, cleartext, for one method, on a Unix socket or on TCP. */
export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const limits: WireLimits = { ...DEFAULT_WIRE_LIMITS, ...options.limits };
  const counters = options.counters ?? createWireCounters();
  const listener = new WireListener({
    limits,
    counters,
    judge: new RequestHead(options.path, limits.headerListBytes),
    openStream: (connection, id, verdict) => new GrpcCall(connection, id, verdict, options.open),
    onError: options.onError ?? (() => undefined),
    onConnection: options.onConnection ?? (() => undefined),
    onReadBegin: options.onReadBegin ?? (() => undefined),
    onReadEnd: options.onReadEnd ?? (() => undefined),
  });
  return {
    listen: (address) => listener.listen(address),
    close: (graceMs) => listener.close(graceMs),
    get port() {
      return listener.port;
    },
    counters,
  };
}
