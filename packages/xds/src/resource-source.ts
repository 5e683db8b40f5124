import type { Resource, ResourceRef } from './resource.ts';

/**
 * The offer to a client for one name now.
 * - `serve`: send it if the client's version differs.
 * - `keep`: report no change; the client keeps what it has. A state-of-the-world response repeats `resource`, the
 *   last good one.
 * - `absent`: it does not exist; report this to clients that requested it by name or have it.
 */
export type Offer =
  | { readonly kind: 'serve'; readonly resource: Resource }
  | { readonly kind: 'keep'; readonly resource: Resource | undefined }
  | { readonly kind: 'absent' };

export interface SourceChange {
  /** Types whose offers may have changed. */
  readonly types: ReadonlySet<string>;
  /**
   * Resources to send again even if the client has this version (Envoy wants endpoints again after their cluster
   * changed) or has refused it (the address of a listener may be free by now).
   */
  readonly resend?: readonly ResourceRef[];
}

/** The source of a stream's resources. Must be synchronous and cheap: a stream queries it at every change. */
export interface ResourceSource {
  /** False while nothing is known. A stream then sends nothing, instead of reporting that nothing exists. */
  ready(): boolean;
  /** The names that a wildcard subscription covers. */
  names(typeUrl: string): Iterable<string>;
  offer(typeUrl: string, name: string): Offer;
  /** Reports later changes; the returned function stops it. The callback must not throw. */
  watch(onChange: (change: SourceChange) => void): () => void;
}

/** The contents of one response, kept under its nonce until the client has answered. */
export interface SentBatch {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
}

/** Observes one stream. All methods are called synchronously, in wire order. */
export interface StreamObserver {
  /** First request for a type on this stream, with the versions that the client has (empty for a fresh client). */
  opened?(typeUrl: string, versions: ReadonlyMap<string, string>): void;
  subscribed?(typeUrl: string, names: readonly string[]): void;
  unsubscribed?(typeUrl: string, names: readonly string[]): void;
  sent?(batch: SentBatch): void;
  acknowledged?(batch: SentBatch): void;
  refused?(batch: SentBatch, reason: string): void;
}
