import type { BundleHead } from '@flotilla/decision';

/** A trial as it came, not looked at yet: the body of a POST, or the query of a GET. */
export type RawTrial =
  | { readonly kind: 'body'; readonly bytes: Uint8Array }
  | { readonly kind: 'query'; readonly query: string };

/** What is told to the process that explains, and asked of it. */
export type ToExplainWorker =
  /** Another bundle begins; its pieces follow. */
  | { readonly kind: 'bundle'; readonly head: BundleHead }
  | { readonly kind: 'piece'; readonly piece: Uint8Array }
  /** All pieces were told. Answered with `ready`. */
  | { readonly kind: 'complete' }
  /** Answered with an `ExplainedTrial`. `trustedHops` holds where the trial says nothing of it. */
  | { readonly kind: 'explain'; readonly trial: RawTrial; readonly trustedHops: number };

export type FromExplainWorker = { readonly kind: 'ready' } | ExplainedTrial;

/** The explanation as JSON text, or why the trial is none. The error quotes no value of it. */
export type ExplainedTrial =
  | { readonly kind: 'explained'; readonly json: string }
  | { readonly kind: 'refused'; readonly error: string };
