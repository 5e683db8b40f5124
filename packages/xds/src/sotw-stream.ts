import type { SotwRequest } from './messages.ts';
import type { ResourceSource, SourceChange, StreamObserver } from './resource-source.ts';
import { deriveTypeRank } from './resource-type.ts';
import { SotwSubscription } from './sotw-subscription.ts';
import type { SotwResponse } from './wire.ts';

export interface SotwStreamOptions {
  readonly source: ResourceSource;
  readonly observer?: StreamObserver;
  /** Hands a response to the transport. False: it is full; nothing more is sent until `resume()`. */
  readonly send: (response: SotwResponse) => boolean;
}

/**
 * The server's side of one state-of-the-world ADS stream: several types, each with a `SotwSubscription` and at most one
 * unanswered response. Open, full and closed as in `DeltaStream`.
 */
export class SotwStream {
  readonly #options: SotwStreamOptions;
  readonly #subscriptions = new Map<string, SotwSubscription>();
  readonly #dirty = new Set<string>();
  readonly #unwatch: () => void;
  #nonce = 0;
  #writable = true;
  #flushing = false;
  #closed = false;

  constructor(options: SotwStreamOptions) {
    this.#options = options;
    this.#unwatch = options.source.watch((change) => this.#noteChange(change));
  }

  receive(request: SotwRequest): void {
    if (this.#closed) return;
    this.#dirty.add(request.typeUrl);
    // The observer may change the source before the request is read to its end: nothing goes out until then.
    this.#flushing = true;
    this.#read(request);
    this.#flushing = false;
    this.#flush();
  }

  #read(request: SotwRequest): void {
    const { observer } = this.#options;
    const { typeUrl, responseNonce, errorDetail } = request;
    let subscription = this.#subscriptions.get(typeUrl);
    if (!subscription) {
      subscription = new SotwSubscription(typeUrl);
      this.#subscriptions.set(typeUrl, subscription);
      // A state-of-the-world client tells no versions per name: it counts as having nothing.
      observer?.opened?.(typeUrl, new Map());
    } else if (subscription.isStale(responseNonce)) {
      return;
    }
    if (errorDetail) {
      const batch = subscription.refuse(responseNonce, errorDetail.message);
      if (batch) observer?.refused?.(batch, errorDetail.message);
    } else {
      const batch = subscription.acknowledge(responseNonce);
      if (batch) observer?.acknowledged?.(batch);
    }
    const { added, gone } = subscription.setInterest(request.resourceNames);
    if (gone.length > 0) observer?.unsubscribed?.(typeUrl, gone);
    if (added.length > 0) observer?.subscribed?.(typeUrl, added);
  }

  resume(): void {
    this.#writable = true;
    this.#flush();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unwatch();
  }

  #noteChange({ types }: SourceChange): void {
    for (const typeUrl of types) this.#dirty.add(typeUrl);
    this.#flush();
  }

  #flush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    try {
      while (this.#writable && !this.#closed) {
        const typeUrl = [...this.#dirty].sort((a, b) => deriveTypeRank(a) - deriveTypeRank(b))[0];
        if (typeUrl === undefined) return;
        this.#dirty.delete(typeUrl);
        this.#sendOne(typeUrl);
      }
    } finally {
      this.#flushing = false;
    }
  }

  #sendOne(typeUrl: string): void {
    const { source, observer, send } = this.#options;
    const subscription = this.#subscriptions.get(typeUrl);
    const answer = subscription?.derivePending(source);
    if (!subscription || !answer) return;
    this.#nonce += 1;
    const nonce = this.#nonce.toString(36);
    const batch = subscription.markSent(nonce, answer);
    this.#writable = send({ typeUrl, nonce, version: answer.version, resources: answer.resources });
    observer?.sent?.(batch);
  }
}
