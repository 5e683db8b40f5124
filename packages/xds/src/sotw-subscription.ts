import { createHash } from 'node:crypto';
import { Isolation } from './isolation.ts';
import type { Resource } from './resource.ts';
import type { ResourceSource, SentBatch } from './resource-source.ts';
import { isWholeType, WILDCARD } from './resource-type.ts';
import type { Subscription } from './subscription.ts';

interface FullAnswer {
  readonly version: string;
  readonly resources: readonly Resource[];
  /** Those of `resources` that the client has not acknowledged in this version. */
  readonly changed: readonly Resource[];
  readonly removed: readonly string[];
}

interface Outstanding {
  readonly batch: SentBatch;
  readonly answer: FullAnswer;
}

/**
 * One type on one state-of-the-world stream, where every response contains all requested resources. See `Subscription`
 * for the common state.
 *
 * Idle: the client has answered; a difference between what was sent and what is offered causes a response. Waiting: one
 * response is unanswered; changes are not queued, and requests with another nonce are outdated and ignored. After a
 * refusal of several changes they are isolated; a refused version is replaced by the last acknowledged one in every
 * later response.
 */
export class SotwSubscription implements Subscription {
  readonly typeUrl: string;
  readonly #acked = new Map<string, Resource>();
  readonly #sent = new Map<string, string>();
  readonly #refused = new Map<string, string>();
  readonly #isolation = new Isolation();
  #names = new Set<string>();
  #wildcard = false;
  #answerDue = false;
  /** The client may have applied part of a refused response. */
  #unsure = false;
  #outstanding: Outstanding | undefined;
  #lastNonce = '';

  constructor(typeUrl: string) {
    this.typeUrl = typeUrl;
  }

  /** An outdated request says nothing about the latest response and must be ignored (xDS protocol, "ACK"). */
  isStale(nonce: string): boolean {
    return this.#lastNonce !== '' && nonce !== this.#lastNonce;
  }

  /** Returns the added and removed names. */
  setInterest(names: readonly string[]): { added: string[]; gone: string[] } {
    const first = this.#lastNonce === '' && this.#names.size === 0 && !this.#wildcard;
    // A first request without names is a wildcard; after named requests it means that nothing is wanted any more.
    const wildcard =
      names.includes(WILDCARD) || (names.length === 0 && (this.#wildcard || (first && isWholeType(this.typeUrl))));
    const wanted = new Set(names.filter((name) => name !== WILDCARD));
    const added = [...wanted].filter((name) => !this.#names.has(name));
    const gone = [...this.#names].filter((name) => !wanted.has(name));
    if (wildcard && !this.#wildcard) {
      this.#answerDue = true;
      added.push(WILDCARD);
    }
    if (!wildcard && this.#wildcard) gone.push(WILDCARD);
    this.#names = wanted;
    this.#wildcard = wildcard;
    for (const name of gone) {
      this.#sent.delete(name);
      this.#acked.delete(name);
    }
    return { added, gone };
  }

  derivePending(source: ResourceSource): FullAnswer | undefined {
    if (!source.ready() || this.#outstanding) return undefined;
    for (;;) {
      const { answer, held } = this.#collect(source);
      const differs =
        answer.resources.some(({ name, version }) => this.#sent.get(name) !== version) || answer.removed.length > 0;
      if (differs) return answer;
      if (this.#isolation.active) {
        this.#isolation.skip();
        continue;
      }
      return this.#unsure || (this.#answerDue && !held) ? answer : undefined;
    }
  }

  markSent(nonce: string, answer: FullAnswer): SentBatch {
    const batch = { typeUrl: this.typeUrl, nonce, resources: answer.changed, removed: answer.removed };
    this.#outstanding = { batch, answer };
    this.#lastNonce = nonce;
    this.#answerDue = false;
    this.#isolation.markSent(nonce);
    for (const name of answer.removed) this.#sent.delete(name);
    for (const { name, version } of answer.resources) this.#sent.set(name, version);
    return batch;
  }

  acknowledge(nonce: string): SentBatch | undefined {
    const taken = this.#take(nonce);
    if (!taken) return undefined;
    this.#unsure = false;
    this.#isolation.settle(nonce);
    for (const name of taken.batch.removed) this.#acked.delete(name);
    for (const resource of taken.answer.resources) {
      // Repeating the last good version together with others does not count as new content.
      if (this.#acked.get(resource.name)?.version !== resource.version) this.#refused.delete(resource.name);
      if (this.#sent.has(resource.name)) this.#acked.set(resource.name, resource);
    }
    return taken.batch;
  }

  refuse(nonce: string, reason: string): SentBatch | undefined {
    const taken = this.#take(nonce);
    if (!taken) return undefined;
    const { resources, removed } = taken.batch;
    const names = [...resources.map(({ name }) => name), ...removed];
    for (const name of names) {
      const acked = this.#acked.get(name);
      if (acked) this.#sent.set(name, acked.version);
      else this.#sent.delete(name);
    }
    const only = names.length === 1 ? resources[0] : undefined;
    if (only) this.#refused.set(only.name, only.version);
    // Repeating a refused single removal would not help.
    if (names.length === 1 && removed[0] !== undefined) this.#sent.delete(removed[0]);
    this.#unsure = names.length > 1;
    this.#isolation.split(nonce, names, reason);
    return taken.batch;
  }

  /** The refused version of this name may be sent again. A response repeats everything else anyway. */
  forgetRefusal(name: string): void {
    this.#refused.delete(name);
  }

  #take(nonce: string): Outstanding | undefined {
    if (this.#outstanding?.batch.nonce !== nonce) return undefined;
    const taken = this.#outstanding;
    this.#outstanding = undefined;
    return taken;
  }

  #collect(source: ResourceSource): { answer: FullAnswer; held: boolean } {
    const names = new Set([...this.#names, ...(this.#wildcard ? source.names(this.typeUrl) : [])]);
    const resources: Resource[] = [];
    let held = false;
    for (const name of [...names].sort()) {
      const offer = source.offer(this.typeUrl, name);
      const acked = this.#acked.get(name);
      if (offer.kind === 'keep') {
        held = true;
        const last = acked ?? offer.resource;
        if (last) resources.push(last);
        continue;
      }
      const serve = offer.kind === 'serve' ? offer.resource : undefined;
      const blocked = !this.#isolation.admits(name) || (serve && this.#refused.get(name) === serve.version);
      const resource = blocked ? acked : serve;
      if (resource) resources.push(resource);
    }
    const present = new Set(resources.map(({ name }) => name));
    const changed = resources.filter(({ name, version }) => this.#acked.get(name)?.version !== version);
    // Only for these types does a full response imply that missing resources are gone (xDS protocol, "Deleting
    // Resources").
    const removed = isWholeType(this.typeUrl) ? [...this.#sent.keys()].filter((name) => !present.has(name)) : [];
    return { answer: { version: deriveVersion(resources), resources, changed, removed }, held };
  }
}

function deriveVersion(resources: readonly Resource[]): string {
  const hash = createHash('sha256');
  for (const { name, version } of resources) hash.update(`${name}\n${version}\n`);
  return hash.digest('hex').slice(0, 16);
}
