import type { Resource, ResourceRef } from './resource.ts';

/**
 * What a client may get for one name right now.
 * serve   deliver it when the client's version differs
 * keep    say nothing new: the client stays with what it has. A full-state answer repeats `resource`, the last good one
 * absent  it does not exist: say so to whoever asked by name or has it
 */
export type Offer =
  | { readonly kind: 'serve'; readonly resource: Resource }
  | { readonly kind: 'keep'; readonly resource: Resource | undefined }
  | { readonly kind: 'absent' };

export interface SourceChange {
  /** Types whose offers may have changed. */
  readonly types: ReadonlySet<string>;
  /** To be sent again even if the client has this version (Envoy wants endpoints anew when their cluster changed). */
  readonly resend?: readonly ResourceRef[];
}

/** Where a stream reads from. Synchronous and cheap: a stream asks anew at every change. */
export interface ResourceSource {
  /** False as long as nothing is known: a stream then stays silent instead of telling its client that there is nothing. */
  ready(): boolean;
  /** Names a wildcard subscription covers. */
  names(typeUrl: string): Iterable<string>;
  offer(typeUrl: string, name: string): Offer;
  /** Tells of changes after the call; the returned function ends it. The callback must not throw. */
  watch(onChange: (change: SourceChange) => void): () => void;
}

/** What one response carried: kept under its nonce until the client has answered it. */
export interface SentBatch {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
}

/** Learns what happens on one stream. All methods are called synchronously, in the order of the wire. */
export interface StreamObserver {
  /** First request of a type on this stream, with what the client says it has (empty for a fresh one). */
  opened?(typeUrl: string, versions: ReadonlyMap<string, string>): void;
  subscribed?(typeUrl: string, names: readonly string[]): void;
  unsubscribed?(typeUrl: string, names: readonly string[]): void;
  sent?(batch: SentBatch): void;
  acknowledged?(batch: SentBatch): void;
  refused?(batch: SentBatch, reason: string): void;
}
