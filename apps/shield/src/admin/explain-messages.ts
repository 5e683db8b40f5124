import type { BundleHead } from '@flotilla/decision';

/** An unparsed trial: the body of a POST, or the query of a GET. */
export type RawTrial =
  | { readonly kind: 'body'; readonly bytes: Uint8Array }
  | { readonly kind: 'query'; readonly query: string };

/** Messages to the explaining process. */
export type ToExplainWorker =
  /** Starts another bundle; its pieces follow. */
  | { readonly kind: 'bundle'; readonly head: BundleHead }
  | { readonly kind: 'piece'; readonly piece: Uint8Array }
  /** All pieces were sent. Answered with `ready`. */
  | { readonly kind: 'complete' }
  /** Answered with an `ExplainedTrial`. `trustedHops` is the default for the trial. */
  | { readonly kind: 'explain'; readonly trial: RawTrial; readonly trustedHops: number };

export type FromExplainWorker = { readonly kind: 'ready' } | ExplainedTrial;

/** The explanation as JSON text, or why the trial is invalid. The error quotes no value of it. */
export type ExplainedTrial =
  | { readonly kind: 'explained'; readonly json: string }
  | { readonly kind: 'refused'; readonly error: string };
