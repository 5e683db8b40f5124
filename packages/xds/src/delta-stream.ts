import { DeltaSubscription } from './delta-subscription.ts';
import type { DeltaRequest } from './messages.ts';
import type { ResourceSource, SentBatch, SourceChange, StreamObserver } from './resource-source.ts';
import { WILDCARD } from './resource-type.ts';
import { type Sending, StreamOutput } from './stream-output.ts';
import { takeAnswer } from './take-answer.ts';
import type { DeltaResponse } from './wire.ts';

export interface DeltaStreamOptions {
  readonly source: ResourceSource;
  readonly observer?: StreamObserver;
  /** Passes a response to the transport. False: the transport is full, and nothing more is sent until `resume()`. */
  readonly send: (response: DeltaResponse) => boolean;
  /**
   * Unanswered responses allowed per type. Changes are not queued while waiting: the latest state is sent after the
   * answer.
   */
  readonly maxOutstanding?: number;
  readonly maxResponseBytes?: number;
  readonly systemVersion?: () => string;
}

const RESPONSE_MAX_BYTES = 2_000_000;

/**
 * The server side of one delta ADS stream: several types, each with a `DeltaSubscription`.
 *
 * Requests change subscriptions and answer responses. After each request, and on every change of the source, the stream
 * sends what the client lacks (`StreamOutput`). Once closed, it no longer watches the source.
 */
export class DeltaStream {
  readonly #options: DeltaStreamOptions;
  readonly #subscriptions = new Map<string, DeltaSubscription>();
  readonly #output = new StreamOutput((typeUrl) => this.#sendOne(typeUrl));
  readonly #unwatch: () => void;

  constructor(options: DeltaStreamOptions) {
    this.#options = options;
    this.#unwatch = options.source.watch((change) => this.#noteChange(change));
  }

  receive(request: DeltaRequest): void {
    if (this.#output.isClosed) return;
    const { typeUrl } = request;
    this.#output.mark(typeUrl);
    // The observer may change the source before the request is fully processed; nothing is sent until then.
    this.#output.holdDuring(() => {
      const known = this.#subscriptions.get(typeUrl);
      if (known) this.#update(known, request);
      else this.#open(request);
    });
  }

  /** The transport accepts responses again. */
  resume(): void {
    this.#output.resume();
  }

  close(): void {
    if (this.#output.isClosed) return;
    this.#output.close();
    this.#unwatch();
  }

  #open(request: DeltaRequest): void {
    const { typeUrl, resourceNamesSubscribe } = request;
    const subscription = new DeltaSubscription(typeUrl);
    this.#subscriptions.set(typeUrl, subscription);
    subscription.open(request);
    this.#options.observer?.opened?.(typeUrl, new Map(Object.entries(request.initialResourceVersions)));
    // A first request without names subscribes to the whole type (xDS protocol, "How the client specifies what to
    // return").
    this.#options.observer?.subscribed?.(
      typeUrl,
      resourceNamesSubscribe.length > 0 ? resourceNamesSubscribe : [WILDCARD],
    );
  }

  #update(subscription: DeltaSubscription, request: DeltaRequest): void {
    const { observer } = this.#options;
    const { typeUrl, responseNonce, resourceNamesSubscribe, resourceNamesUnsubscribe } = request;
    if (responseNonce !== '') takeAnswer(subscription, request, observer);
    if (resourceNamesUnsubscribe.length > 0) {
      subscription.unsubscribe(resourceNamesUnsubscribe);
      observer?.unsubscribed?.(typeUrl, resourceNamesUnsubscribe);
    }
    if (resourceNamesSubscribe.length > 0) {
      subscription.subscribe(resourceNamesSubscribe);
      observer?.subscribed?.(typeUrl, resourceNamesSubscribe);
    }
  }

  #noteChange({ types, resend = [] }: SourceChange): void {
    for (const typeUrl of types) this.#output.mark(typeUrl);
    for (const { typeUrl, name } of resend) {
      this.#subscriptions.get(typeUrl)?.resend(name);
      this.#output.mark(typeUrl);
    }
    this.#output.flush();
  }

  #sendOne(typeUrl: string): Sending {
    const { source, observer, send, maxOutstanding = 1, maxResponseBytes = RESPONSE_MAX_BYTES } = this.#options;
    const subscription = this.#subscriptions.get(typeUrl);
    if (!subscription || subscription.outstanding >= maxOutstanding) return 'nothing';
    const pending = subscription.derivePending(source, maxResponseBytes);
    if (!pending) return 'nothing';
    const { resources, removed, missing } = pending;
    const batch: SentBatch = { typeUrl, nonce: this.#output.takeNonce(), resources, removed };
    subscription.markSent(batch);
    const systemVersion = this.#options.systemVersion?.() ?? '';
    const isTaken = send({ typeUrl, nonce: batch.nonce, systemVersion, resources, removed, missing });
    observer?.sent?.(batch);
    return isTaken ? 'taken' : 'full';
  }
}
