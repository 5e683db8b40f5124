import { createWireCounters, type WireCounters } from '../http2/counters.ts';
import { DEFAULT_WIRE_LIMITS, type WireLimits } from '../http2/limits.ts';
import { type ListenAddress, WireListener } from '../http2/listener.ts';
import type { WireError } from '../http2/wire-error.ts';
import type { OpenCall } from './call.ts';
import { GrpcCall } from './grpc-call.ts';
import { RequestHead } from './request-head.ts';

export interface GrpcServerOptions {
  /** `/package.Service/Method`: the only method served. */
  readonly path: string;
  /** Called synchronously once per call, so the handler gets every later event. */
  readonly open: OpenCall;
  readonly limits?: Partial<WireLimits>;
  /** Reports errors, up to thousands of times a second; must not throw. */
  readonly onError?: (error: WireError) => void;
  readonly onConnection?: () => void;
  /** Called before and after the bytes of one socket read are handled. One read can contain many calls. */
  readonly onReadBegin?: () => void;
  readonly onReadEnd?: () => void;
  /** Counters that outlive the server. Default: counters of its own. */
  readonly counters?: WireCounters;
}

export interface GrpcServer {
  /** Resolves when the server accepts connections; rejects if the address is unavailable. Port 0: see `port`. */
  listen(address: ListenAddress): Promise<void>;
  /**
   * Refuses new calls, lets running ones finish for at most `graceMs`, then cuts them. Resolves when everything is
   * closed.
   */
  close(graceMs: number): Promise<void>;
  /** The TCP port; 0 for a Unix socket and before `listen`. */
  readonly port: number;
  readonly counters: Readonly<WireCounters>;
}

/** Cleartext gRPC over HTTP/2 with prior knowledge for one method, on a Unix socket or TCP. */
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
