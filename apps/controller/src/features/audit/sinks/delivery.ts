import type { SignedHead } from '../chain/index.ts';
import type { ForwardedEntry } from './sink-store.ts';

export interface Batch {
  readonly entries: readonly ForwardedEntry[];
  readonly heads: readonly SignedHead[];
}

/** A place that the record is sent to. */
export interface Transport {
  /** The longest that a delivery may take. */
  readonly deadlineMs: number;
  /**
   * Resolves when the place has taken all of it; rejects with why it has not. `check` is called when nothing but sending is
   * left to do, and throws where this controller may not send any more.
   */
  deliver(batch: Batch, check: () => void): Promise<void>;
}

const MESSAGE_MAX = 256;

/** What is shown and kept of a failure: one line without control characters. */
export function describeFailure(error: unknown): string {
  const { message = 'it failed', cause } = (error ?? {}) as { message?: string; cause?: unknown };
  const inner = cause instanceof Error ? `: ${cause.message}` : '';
  return clean(`${message}${inner}`).slice(0, MESSAGE_MAX);
}

/** Control characters, with those of Unicode's line and paragraph ends, as spaces: nothing begins a line of its own. */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
}
