import { toErrorMessage } from '@flotilla/kit';
import { describeError, judgeBulk, type Refusal } from './bulk-answer.ts';
import { takeBatch, toBulkBody } from './bulk-body.ts';
import type { Post } from './post.ts';

const TOO_LARGE = 413;

export interface DeliveryOptions {
  readonly hosts: readonly string[];
  readonly loadbalance: boolean;
  readonly index: string;
  readonly post: Post;
  /** Documents that the server will never take. */
  readonly onRefused: (refusal: Refusal) => void;
}

type Attempt =
  | { readonly kind: 'done' }
  | { readonly kind: 'split' }
  | { readonly kind: 'again'; readonly reason: string };

/** Sends documents to the hosts of a search engine. */
export class Delivery {
  readonly #options: DeliveryOptions;
  #at = 0;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Resolves with undefined when a host has taken or refused every document. Else with why not: then all have to be sent again. */
  async deliver(documents: readonly string[]): Promise<string | undefined> {
    for (let rest = documents; rest.length > 0; ) {
      const batch = takeBatch(rest);
      const reason = await this.#deliverBatch(batch);
      if (reason !== undefined) return reason;
      rest = rest.slice(batch.length);
    }
    return undefined;
  }

  /** Every host gets one chance. */
  async #deliverBatch(batch: readonly string[]): Promise<string | undefined> {
    const { hosts, loadbalance } = this.#options;
    let reason = 'there is no host';
    for (let tried = 0; tried < hosts.length; tried += 1) {
      const host = hosts[this.#at % hosts.length] ?? '';
      const attempt = await this.#attempt(host, batch);
      if (attempt.kind === 'split') return this.#deliverHalves(batch);
      if (attempt.kind === 'done') {
        if (loadbalance) this.#at += 1;
        return undefined;
      }
      this.#at += 1;
      reason = `${host}: ${attempt.reason}`;
    }
    return reason;
  }

  async #deliverHalves(batch: readonly string[]): Promise<string | undefined> {
    const middle = Math.ceil(batch.length / 2);
    return (await this.#deliverBatch(batch.slice(0, middle))) ?? (await this.#deliverBatch(batch.slice(middle)));
  }

  async #attempt(host: string, batch: readonly string[]): Promise<Attempt> {
    const { post, index, onRefused } = this.#options;
    try {
      const { status, body } = await post(host, toBulkBody(batch, index));
      if (status === TOO_LARGE && batch.length > 1) return { kind: 'split' };
      if (status === TOO_LARGE) {
        onRefused({ count: 1, reason: `${status} the line is too large` });
        return { kind: 'done' };
      }
      if (status < 200 || status >= 300) return { kind: 'again', reason: `${status} ${describeError(body)}`.trim() };
      const verdict = judgeBulk(JSON.parse(body), batch.length);
      if (verdict.kind === 'again') return verdict;
      for (const refusal of verdict.refusals) onRefused(refusal);
      return { kind: 'done' };
    } catch (error) {
      return { kind: 'again', reason: toErrorMessage(error) };
    }
  }
}
