import { Isolation } from './isolation.ts';
import type { DeltaRequest } from './messages.ts';
import type { Resource } from './resource.ts';
import type { ResourceSource, SentBatch } from './resource-source.ts';
import { WILDCARD } from './resource-type.ts';
import type { Subscription } from './subscription.ts';

/** The client may have applied part of a refused response with several resources. */
const UNKNOWN = Symbol('unknown');

/** `sent`: the version that the client has once it has applied everything in flight; undefined if it has none. */
interface ClientCopy {
  sent: string | typeof UNKNOWN | undefined;
  acked: string | undefined;
  refused: string | undefined;
  /** The resource was in a refused response with several resources, and no version was acknowledged since. */
  unsure: boolean;
}

export interface PendingDelta {
  readonly resources: readonly Resource[];
  /** Resources that the client has or asked for and that do not exist. `missing` are those that it never had. */
  readonly removed: readonly string[];
  readonly missing: readonly string[];
  /** The size limit leaves more to send. */
  readonly partial: boolean;
}

/**
 * One type on one delta stream; see `Subscription` for the common state.
 *
 * Interest: the wildcard is requested as `*` or, in the legacy way, by a first request without names; it ends only by
 * unsubscribing from `*`. Owed: names that must be answered whatever version the client has, because it requested them
 * again. The client's copy of a name is a version, nothing, or unknown. A refused version is not sent again on this
 * stream unless the client requests it or its content changes.
 */
export class DeltaSubscription implements Subscription {
  readonly typeUrl: string;
  readonly #copies = new Map<string, ClientCopy>();
  readonly #names = new Set<string>();
  readonly #owed = new Set<string>();
  readonly #outstanding = new Map<string, SentBatch>();
  readonly #isolation = new Isolation();
  #wildcard = false;
  #answerDue = false;

  constructor(typeUrl: string) {
    this.typeUrl = typeUrl;
  }

  get outstanding(): number {
    return this.#outstanding.size;
  }

  /** Handles the first request for the type on this stream. */
  open(request: DeltaRequest): void {
    const known = Object.entries(request.initialResourceVersions);
    for (const [name, version] of known)
      this.#copies.set(name, { sent: version, acked: version, refused: undefined, unsure: false });
    const names = request.resourceNamesSubscribe;
    this.#wildcard = names.length === 0 || names.includes(WILDCARD);
    this.#answerDue = this.#wildcard && known.length === 0;
    for (const name of names) {
      if (name === WILDCARD) continue;
      this.#names.add(name);
      if (!this.#copies.has(name)) this.#owed.add(name);
    }
  }

  subscribe(names: readonly string[]): void {
    for (const name of names) {
      if (name === WILDCARD) {
        this.#wildcard = true;
        this.#answerDue ||= this.#copies.size === 0;
        continue;
      }
      this.#names.add(name);
      this.#owed.add(name);
    }
  }

  unsubscribe(names: readonly string[]): void {
    for (const name of names) {
      if (name === WILDCARD) {
        this.#wildcard = false;
        for (const known of this.#copies.keys()) if (!this.#names.has(known)) this.#copies.delete(known);
        continue;
      }
      this.#names.delete(name);
      this.#owed.delete(name);
      // The wildcard still covers the name, and the client cannot know whether it exists (xDS protocol,
      // "Unsubscribing").
      if (this.#wildcard) this.#owed.add(name);
      else this.#copies.delete(name);
    }
  }

  resend(name: string): void {
    if (this.#copies.has(name) && (this.#wildcard || this.#names.has(name))) this.#owed.add(name);
  }

  /** Returns what to send now, up to about `maxBytes`; undefined if nothing. */
  derivePending(source: ResourceSource, maxBytes: number): PendingDelta | undefined {
    if (!source.ready()) return undefined;
    for (;;) {
      const pending = this.#collect(source, maxBytes);
      if (pending.resources.length + pending.removed.length > 0) return pending;
      if (!this.#isolation.active) return this.#answerDue && !pending.held ? pending : undefined;
      if (this.outstanding > 0) return undefined;
      this.#isolation.skip();
    }
  }

  markSent(batch: SentBatch): void {
    this.#outstanding.set(batch.nonce, batch);
    this.#isolation.markSent(batch.nonce);
    this.#answerDue = false;
    for (const { name, version } of batch.resources) {
      this.#owed.delete(name);
      this.#copy(name).sent = version;
    }
    for (const name of batch.removed) {
      this.#owed.delete(name);
      this.#copy(name).sent = undefined;
    }
  }

  acknowledge(nonce: string): SentBatch | undefined {
    const batch = this.#take(nonce);
    if (!batch) return undefined;
    this.#isolation.settle(nonce);
    for (const { name, version } of batch.resources) {
      const copy = this.#copies.get(name);
      if (!copy) continue;
      if (copy.acked !== version) copy.refused = undefined;
      copy.acked = version;
      copy.unsure = false;
    }
    for (const name of batch.removed) {
      const copy = this.#copies.get(name);
      if (!copy) continue;
      // If the resource is created, the wildcard covers it. Keeping names that do not exist would need unbounded
      // memory.
      if (this.#wildcard) this.#names.delete(name);
      copy.acked = undefined;
      copy.unsure = false;
      if (copy.sent === undefined && !this.#isUnderWay(name)) this.#copies.delete(name);
    }
    return batch;
  }

  refuse(nonce: string, reason: string): SentBatch | undefined {
    const batch = this.#take(nonce);
    if (!batch) return undefined;
    const names = [...batch.resources.map(({ name }) => name), ...batch.removed];
    for (const { name, version } of batch.resources) {
      const copy = this.#copies.get(name);
      if (!copy) continue;
      copy.unsure ||= names.length > 1;
      // A newer response with this resource is in flight, and its answer will show the client's state.
      if (copy.sent !== version) continue;
      copy.sent = copy.unsure ? UNKNOWN : copy.acked;
      if (names.length === 1) copy.refused = version;
    }
    for (const name of batch.removed) {
      const copy = this.#copies.get(name);
      // A removal that is refused alone is not repeated; one among several may not have been processed.
      if (copy && copy.sent === undefined && names.length > 1) Object.assign(copy, { sent: UNKNOWN, unsure: true });
    }
    this.#isolation.split(nonce, names, reason);
    return batch;
  }

  /** An unanswered response may still be refused; the record stays until then. */
  #isUnderWay(name: string): boolean {
    return [...this.#outstanding.values()].some(
      ({ resources, removed }) => removed.includes(name) || resources.some((resource) => resource.name === name),
    );
  }

  #take(nonce: string): SentBatch | undefined {
    const batch = this.#outstanding.get(nonce);
    this.#outstanding.delete(nonce);
    return batch;
  }

  #copy(name: string): ClientCopy {
    let copy = this.#copies.get(name);
    if (!copy) {
      copy = { sent: undefined, acked: undefined, refused: undefined, unsure: false };
      this.#copies.set(name, copy);
    }
    return copy;
  }

  *#interest(source: ResourceSource): Iterable<string> {
    if (!this.#wildcard) {
      yield* this.#names;
      return;
    }
    const offered = new Set(source.names(this.typeUrl));
    yield* offered;
    for (const name of new Set([...this.#names, ...this.#copies.keys(), ...this.#owed])) {
      if (!offered.has(name)) yield name;
    }
  }

  #collect(source: ResourceSource, maxBytes: number): PendingDelta & { held: boolean } {
    const resources: Resource[] = [];
    const removed: string[] = [];
    const missing: string[] = [];
    let bytes = 0;
    let held = false;
    for (const name of this.#interest(source)) {
      if (!this.#isolation.admits(name)) continue;
      const offer = source.offer(this.typeUrl, name);
      const copy = this.#copies.get(name);
      if (offer.kind === 'keep') {
        held = true;
      } else if (offer.kind === 'absent') {
        const has = copy !== undefined && copy.sent !== undefined;
        if (has || this.#owed.has(name)) removed.push(name);
        if (!has && this.#owed.has(name)) missing.push(name);
      } else if (this.#owed.has(name) || this.#differs(copy, offer.resource)) {
        if (bytes > 0 && bytes + offer.resource.bytes.length > maxBytes) {
          return { resources, removed, missing, partial: true, held };
        }
        bytes += offer.resource.bytes.length + name.length + 200;
        resources.push(offer.resource);
      }
    }
    return { resources, removed, missing, partial: false, held };
  }

  #differs(copy: ClientCopy | undefined, resource: Resource): boolean {
    return copy?.sent !== resource.version && copy?.refused !== resource.version;
  }
}
