import type { BundleHead, LimiterIds, UncountedFinding } from '@flotilla/decision';
import type { WireError } from '@flotilla/grpc-wire';
import type { ListenAddress } from '../listen-address.ts';
import type { SelfTestResult } from '../self-test/self-test.ts';

/** The data with which a thread is created. */
export interface ThreadData {
  /** Starts at 1; the main thread is 0. */
  readonly thread: number;
  readonly listen: ListenAddress;
  readonly trustedHops: number;
  /** The filter's own name in findings. */
  readonly node: string;
  /** Memory of the limiters' arena, of this thread's policy counts, and of the cells of all threads. */
  readonly limiters: SharedArrayBuffer;
  readonly counts: SharedArrayBuffer;
  readonly traffic: SharedArrayBuffer;
}

/** A bundle arrives as one *begin*, its pieces in order, and one *end*; each is answered before the next one is sent. */
export type ToThread =
  | {
      readonly kind: 'begin';
      readonly head: BundleHead;
      readonly nowMs: number;
      /** The count entry of each policy in the bundle. */
      readonly places: ReadonlyMap<string, number>;
    }
  /** Includes the limiters that the first thread has created for it. */
  | { readonly kind: 'piece'; readonly piece: Uint8Array; readonly limiterIds: LimiterIds }
  /** The bundle takes effect. */
  | { readonly kind: 'end' }
  | { readonly kind: 'listen' }
  /** Exchanges end within `graceMs`; the thread ends after its answer. */
  | { readonly kind: 'close'; readonly graceMs: number };

export type FromThread =
  /** The last message was carried out. */
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'finding'; readonly finding: UncountedFinding }
  | { readonly kind: 'dropped'; readonly count: number }
  | { readonly kind: 'self_test'; readonly reading: SelfTestResult }
  | { readonly kind: 'engine_failed'; readonly engine: string; readonly error: ThreadError }
  | { readonly kind: 'exchange_failed'; readonly failure: ExchangeFailure };

/** `error` is what was thrown, if anything. */
export interface ExchangeFailure {
  readonly scope: string;
  readonly reason: string;
  readonly error: ThreadError | undefined;
}

/** An error that is sent between threads. */
export interface ThreadError {
  readonly message: string;
  readonly stack: string;
}

export function toExchangeFailure({ scope, reason, cause }: WireError): ExchangeFailure {
  return { scope, reason, error: cause === undefined ? undefined : toThreadError(cause) };
}

export function toThreadError(error: unknown): ThreadError {
  return error instanceof Error
    ? { message: error.message, stack: error.stack ?? '' }
    : { message: String(error), stack: '' };
}
