import { cleanText } from '../../../../platform/outbound/index.ts';
import type { SignedHead } from '../chain/index.ts';
import type { ForwardedEntry } from './sink-store.ts';

export interface Batch {
  readonly entries: readonly ForwardedEntry[];
  readonly heads: readonly SignedHead[];
}

/** A receiver of the audit log. */
export interface Transport {
  /** Maximum duration of a delivery. */
  readonly deadlineMs: number;
  /**
   * Resolves when the receiver has accepted everything; rejects with the reason otherwise. It calls `check` right
   * before sending, which throws if this controller may not send any more.
   */
  deliver(batch: Batch, check: () => void): Promise<void>;
}

const MESSAGE_MAX = 256;

/** A one-line description of a failure without control characters, for display and storage. */
export function describeFailure(error: unknown): string {
  const { message = 'it failed', cause } = (error ?? {}) as { message?: string; cause?: unknown };
  const inner = cause instanceof Error ? `: ${cause.message}` : '';
  return cleanText(`${message}${inner}`).slice(0, MESSAGE_MAX);
}
