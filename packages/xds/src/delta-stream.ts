import { DeltaSubscription } from './delta-subscription.ts';
import type { DeltaRequest } from './messages.ts';
import type { ResourceSource, SentBatch, SourceChange, StreamObserver } from './resource-source.ts';
import { deriveTypeRank } from './resource-type.ts';
import type { DeltaResponse } from './wire.ts';

export interface DeltaStreamOptions {
  readonly source: ResourceSource;
  readonly observer?: StreamObserver;
  /** Hands a response to the transport. False: it is full; nothing more is sent until `resume()`. */
  readonly send: (response: DeltaResponse) => boolean;
  /** Unanswered responses allowed per type. Until an answer comes, changes are not queued: the newest state is sent. */
  readonly maxOutstanding?: number;
  readonly maxResponseBytes?: number;
  readonly systemVersion?: () => string;
}

const RESPONSE_MAX_BYTES = 2_000_000;

/**
 * The server's side of one delta ADS stream: several types, each with a `DeltaSubscription`.
 *
 * Open: requests change subscriptions and answer responses; after each, and at every change of the source, what the
 * client lacks is sent in the order of types. Full: the transport took no more; changes are only noted. Closed: nothing
 * is sent and the source is no longer watched.
 */
export class DeltaStream {
  readonly #options: DeltaStreamOptions;
  readonly #subscriptions = new Map<string, DeltaSubscription>();
  readonly #dirty = new Set<string>();
  readonly #unwatch: () => void;
  #nonce = 0;
  #writable = true;
  #flushing = false;
  #closed = false;

  constructor(options: DeltaStreamOptions) {
    this.#options = options;
    this.#unwatch = options.source.watch((change) => this.#noteChange(change));
  }

  receive(request: DeltaRequest): void {
    if (this.#closed) return;
    const { typeUrl } = request;
    this.#dirty.add(typeUrl);
    // The observer may change the source before the request is read to its end: nothing goes out until then.
    this.#flushing = true;
    const known = this.#subscriptions.get(typeUrl);
    if (known) this.#update(known, request);
    else this.#open(request);
    this.#flushing = false;
    this.#flush();
  }

  /** The transport takes responses again. */
  resume(): void {
    this.#writable = true;
    this.#flush();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unwatch();
  }

  #open(request: DeltaRequest): void {
    const { typeUrl, resourceNamesSubscribe } = request;
    const subscription = new DeltaSubscription(typeUrl);
    this.#subscriptions.set(typeUrl, subscription);
    subscription.open(request);
    this.#options.observer?.opened?.(typeUrl, new Map(Object.entries(request.initialResourceVersions)));
    // Without names the first request means all of the type (xDS protocol, "How the client specifies what to return").
    this.#options.observer?.subscribed?.(typeUrl, resourceNamesSubscribe.length > 0 ? resourceNamesSubscribe : ['*']);
  }

  #update(subscription: DeltaSubscription, request: DeltaRequest): void {
    const { observer } = this.#options;
    const { typeUrl, responseNonce, resourceNamesSubscribe, resourceNamesUnsubscribe } = request;
    if (responseNonce !== '') this.#takeAnswer(subscription, request);
    if (resourceNamesUnsubscribe.length > 0) {
      subscription.unsubscribe(resourceNamesUnsubscribe);
      observer?.unsubscribed?.(typeUrl, resourceNamesUnsubscribe);
    }
    if (resourceNamesSubscribe.length > 0) {
      subscription.subscribe(resourceNamesSubscribe);
      observer?.subscribed?.(typeUrl, resourceNamesSubscribe);
    }
  }

  #takeAnswer(subscription: DeltaSubscription, { responseNonce, errorDetail }: DeltaRequest): void {
    const { observer } = this.#options;
    if (errorDetail) {
      const batch = subscription.refuse(responseNonce, errorDetail.message);
      if (batch) observer?.refused?.(batch, errorDetail.message);
      return;
    }
    const batch = subscription.acknowledge(responseNonce);
    if (batch) observer?.acknowledged?.(batch);
  }

  #noteChange({ types, resend = [] }: SourceChange): void {
    for (const typeUrl of types) this.#dirty.add(typeUrl);
    for (const { typeUrl, name } of resend) {
      this.#subscriptions.get(typeUrl)?.resend(name);
      this.#dirty.add(typeUrl);
    }
    this.#flush();
  }

  /** The observer may change the source while we send, so this runs until nothing is left to do, and never inside itself. */
  #flush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    try {
      while (this.#writable && !this.#closed) {
        const typeUrl = [...this.#dirty].sort((a, b) => deriveTypeRank(a) - deriveTypeRank(b))[0];
        if (typeUrl === undefined) return;
        if (!this.#sendOne(typeUrl)) this.#dirty.delete(typeUrl);
      }
    } finally {
      this.#flushing = false;
    }
  }

  /** True when there may be more of this type to send. */
  #sendOne(typeUrl: string): boolean {
    const { source, observer, send, maxOutstanding = 1, maxResponseBytes = RESPONSE_MAX_BYTES } = this.#options;
    const subscription = this.#subscriptions.get(typeUrl);
    if (!subscription || subscription.outstanding >= maxOutstanding) return false;
    const pending = subscription.derivePending(source, maxResponseBytes);
    if (!pending) return false;
    this.#nonce += 1;
    const { resources, removed, missing } = pending;
    const batch: SentBatch = { typeUrl, nonce: this.#nonce.toString(36), resources, removed };
    subscription.markSent(batch);
    const systemVersion = this.#options.systemVersion?.() ?? '';
    this.#writable = send({ typeUrl, nonce: batch.nonce, systemVersion, resources, removed, missing });
    observer?.sent?.(batch);
    return true;
  }
}
