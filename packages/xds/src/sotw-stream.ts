import type { SotwRequest } from './messages.ts';
import type { ResourceSource, SourceChange, StreamObserver } from './resource-source.ts';
import { SotwSubscription } from './sotw-subscription.ts';
import { type Sending, StreamOutput } from './stream-output.ts';
import { takeAnswer } from './take-answer.ts';
import type { SotwResponse } from './wire.ts';

export interface SotwStreamOptions {
  readonly source: ResourceSource;
  readonly observer?: StreamObserver;
  /** Passes a response to the transport. False: the transport is full, and nothing more is sent until `resume()`. */
  readonly send: (response: SotwResponse) => boolean;
}

/**
 * The server side of one state-of-the-world ADS stream: several types, each with a `SotwSubscription` and at most one
 * unanswered response. `StreamOutput` decides when responses are sent. Once closed, it no longer watches the source.
 */
export class SotwStream {
  readonly #options: SotwStreamOptions;
  readonly #subscriptions = new Map<string, SotwSubscription>();
  readonly #output = new StreamOutput((typeUrl) => this.#sendOne(typeUrl));
  readonly #unwatch: () => void;

  constructor(options: SotwStreamOptions) {
    this.#options = options;
    this.#unwatch = options.source.watch((change) => this.#noteChange(change));
  }

  receive(request: SotwRequest): void {
    if (this.#output.isClosed) return;
    this.#output.mark(request.typeUrl);
    // The observer may change the source before the request is fully processed; nothing is sent until then.
    this.#output.holdDuring(() => this.#read(request));
  }

  #read(request: SotwRequest): void {
    const { observer } = this.#options;
    const { typeUrl, responseNonce } = request;
    let subscription = this.#subscriptions.get(typeUrl);
    if (!subscription) {
      subscription = new SotwSubscription(typeUrl);
      this.#subscriptions.set(typeUrl, subscription);
      // A state-of-the-world client reports no versions per name, so it counts as having nothing.
      observer?.opened?.(typeUrl, new Map());
    } else if (subscription.isStale(responseNonce)) {
      return;
    }
    takeAnswer(subscription, request, observer);
    const { added, gone } = subscription.setInterest(request.resourceNames);
    if (gone.length > 0) observer?.unsubscribed?.(typeUrl, gone);
    if (added.length > 0) observer?.subscribed?.(typeUrl, added);
  }

  resume(): void {
    this.#output.resume();
  }

  close(): void {
    if (this.#output.isClosed) return;
    this.#output.close();
    this.#unwatch();
  }

  #noteChange({ types, resend = [] }: SourceChange): void {
    for (const typeUrl of types) this.#output.mark(typeUrl);
    for (const { typeUrl, name } of resend) this.#subscriptions.get(typeUrl)?.forgetRefusal(name);
    this.#output.flush();
  }

  #sendOne(typeUrl: string): Sending {
    const { source, observer, send } = this.#options;
    const subscription = this.#subscriptions.get(typeUrl);
    const answer = subscription?.derivePending(source);
    if (!subscription || !answer) return 'nothing';
    const nonce = this.#output.takeNonce();
    const batch = subscription.markSent(nonce, answer);
    const isTaken = send({ typeUrl, nonce, version: answer.version, resources: answer.resources });
    observer?.sent?.(batch);
    return isTaken ? 'taken' : 'full';
  }
}
