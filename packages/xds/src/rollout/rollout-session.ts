import { parseResourceKey, type ResourceKey, type ResourceRef, toResourceKey } from '../resource.ts';
import type { Offer, ResourceSource, SentBatch, SourceChange, StreamObserver } from '../resource-source.ts';
import { isWarmedType, isWholeType, RESOURCE_TYPE, WHOLE_TYPES, WILDCARD } from '../resource-type.ts';
import { AskedNames } from './asked-names.ts';
import { deriveStatus } from './derive-status.ts';
import { type Entry, isVersion } from './entry.ts';
import { EnvoyCopies } from './envoy-copies.ts';
import { Offers } from './offers.ts';
import { listUnwanted } from './removal.ts';
import type { RolloutMemory } from './rollout-memory.ts';
import type { RolloutStatus } from './status.ts';
import type { Refusal } from './verdict.ts';
import { Warming } from './warming.ts';

/** Unanswered responses that an Envoy may have per type: it holds answers back while clusters warm. */
const OUTSTANDING_MAX = 8;

/**
 * What one Envoy, on one stream, may see, and what it made of it.
 *
 * unopened   no request yet
 * restoring  Envoy came with nothing and there is a last good set: it gets that set whole, in one go.
 *            Leaves when Envoy has taken and warmed all of it that it asked for (or refused it), or after the time limit
 * following  each wanted resource becomes visible once everything it depends on is acknowledged and warm; what is no
 *            longer wanted goes once nothing in use refers to it
 * closed     keeps its record, changes nothing
 *
 * A fresh Envoy begins with an empty answer for clusters or listeners of which nothing is known to work: all that its
 * first answer holds must become warm before it starts to serve at all, and one bad resource would keep it from that.
 *
 * A refused resource keeps its last acknowledged version, and so does whatever depends on it; all else moves on. A new
 * target may come in any state: answers still under way are booked under the version they were sent with.
 */
export class RolloutSession implements ResourceSource, StreamObserver {
  readonly #memory: RolloutMemory;
  readonly #onClose: (session: RolloutSession) => void;
  readonly #watchers = new Set<(change: SourceChange) => void>();
  readonly #asked = new AskedNames();
  readonly #offers: Offers;
  /** Types whose first answer is to be empty. */
  readonly #empty = new Set<string>();
  readonly #warming: Warming;
  readonly copies: EnvoyCopies;
  #refusals: Map<ResourceKey, Refusal>;
  #phase: 'unopened' | 'restoring' | 'following' | 'closed' = 'unopened';
  #fresh = false;
  #restoreUntil = 0;
  #presumeUntil = 0;
  #cancelWake: (() => void) | undefined;

  constructor(memory: RolloutMemory, onClose: (session: RolloutSession) => void) {
    this.#memory = memory;
    this.#onClose = onClose;
    this.copies = new EnvoyCopies(memory.clock, memory.limits, memory.retired);
    this.#refusals = new Map(memory.refusals);
    this.#warming = new Warming({
      memory,
      copies: this.copies,
      asked: this.#asked,
      onChange: (resend) => this.changed(resend),
    });
    this.#offers = new Offers({
      memory,
      copies: this.copies,
      asked: this.#asked,
      refusals: () => this.#refusals,
      probeFails: () => this.#warming.probeFails,
      presumes: () => this.#presumes(),
    });
  }

  get refusals(): ReadonlyMap<ResourceKey, Refusal> {
    return this.#refusals;
  }

  ready(): boolean {
    return this.#memory.targetVersion !== undefined || this.#memory.good.size > 0;
  }

  *names(typeUrl: string): Iterable<string> {
    if (this.#empty.has(typeUrl)) return;
    const seen = new Set<string>();
    for (const entries of [this.#memory.goal, this.#memory.good]) {
      for (const { resource } of entries.values()) {
        if (resource.typeUrl !== typeUrl || seen.has(resource.name)) continue;
        seen.add(resource.name);
        yield resource.name;
      }
    }
  }

  offer(typeUrl: string, name: string): Offer {
    const key = toResourceKey({ typeUrl, name });
    return this.#phase === 'restoring' ? this.#offers.offerGood(key) : this.#offers.offer(key);
  }

  watch(onChange: (change: SourceChange) => void): () => void {
    this.#watchers.add(onChange);
    return () => this.#watchers.delete(onChange);
  }

  opened(typeUrl: string, versions: ReadonlyMap<string, string>): void {
    this.#asked.add(typeUrl, []);
    for (const [name, version] of versions) {
      const key = toResourceKey({ typeUrl, name });
      this.copies.declare(key, version, this.#memory.findEntry(key, version));
    }
    if (versions.size > 0) {
      if (this.#phase === 'unopened')
        this.#presumeUntil = this.#memory.clock.monotonic() + this.#memory.limits.restoreMs;
      this.#phase = 'following';
      this.#fresh = false;
      this.#empty.clear();
    } else if (this.#phase === 'unopened') this.#begin();
  }

  subscribed(typeUrl: string, names: readonly string[]): void {
    this.#asked.add(typeUrl, names);
    this.changed(typeUrl === RESOURCE_TYPE.endpoint ? this.#listAwaitedEndpoints(new Set(names)) : []);
  }

  unsubscribed(typeUrl: string, names: readonly string[]): void {
    this.#asked.delete(typeUrl, names);
    for (const name of names) {
      if (name !== WILDCARD && !isWholeType(typeUrl)) this.copies.forget(toResourceKey({ typeUrl, name }));
    }
    this.changed();
  }

  sent(batch: SentBatch): void {
    this.#empty.delete(batch.typeUrl);
    const resend: ResourceRef[] = [];
    for (const { typeUrl, name, version } of batch.resources) {
      const key = toResourceKey({ typeUrl, name });
      const entry = this.#memory.findEntry(key, version) ?? this.copies.findEntry(key, version);
      if (!entry) continue;
      this.copies.markSent(entry);
      if (typeUrl === RESOURCE_TYPE.cluster) resend.push(...this.#asked.listNeeds(entry, RESOURCE_TYPE.endpoint));
    }
    // A changed cluster warms only when its endpoints come again, right behind it (Envoy docs, "Eventual consistency").
    this.changed(resend);
  }

  acknowledged(batch: SentBatch): void {
    for (const { typeUrl, name, version } of batch.resources) {
      const key = toResourceKey({ typeUrl, name });
      const before = this.copies.get(key)?.live;
      this.copies.acknowledge(key, version);
      // A newer version was taken, so the refused one is history, and may be tried again should it be wanted again.
      if (!isVersion(before, version)) this.#refusals.delete(key);
      this.#warming.noteAcknowledged(key);
    }
    for (const name of batch.removed) this.copies.markRemoved(toResourceKey({ typeUrl: batch.typeUrl, name }));
    this.changed();
  }

  refused(batch: SentBatch, reason: string): void {
    // Of several the stream finds the culprit by sending fewer; only a refusal of one names it.
    const certain = batch.resources.length + batch.removed.length === 1;
    for (const { typeUrl, name, version } of batch.resources) {
      const key = toResourceKey({ typeUrl, name });
      this.copies.refuse(key, { version, certain });
      if (certain) this.#refusals.set(key, { version, reason });
    }
    this.changed();
  }

  /** What a stream of this Envoy is created with. */
  get binding(): { source: ResourceSource; observer: StreamObserver; maxOutstanding: number; onClose: () => void } {
    return { source: this, observer: this, maxOutstanding: OUTSTANDING_MAX, onClose: () => this.close() };
  }

  /** Of what an earlier stream left behind, that of which this one has not heard; nothing once Envoy proved to be a new one. */
  listUntold(): Entry[] {
    if (this.#fresh) return [];
    return this.#memory.recent.filter(({ resource }) => !this.#asked.hasType(resource.typeUrl));
  }

  close(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#cancelWake?.();
    this.#warming.close();
    this.#watchers.clear();
    this.#onClose(this);
  }

  status(): RolloutStatus {
    const { goal, targetVersion } = this.#memory;
    const retiring = listUnwanted(this.copies, goal).map(parseResourceKey);
    return deriveStatus({
      target: goal,
      verdicts: this.#offers.insight.verdicts,
      copies: this.copies,
      retiring,
      version: targetVersion ?? '',
    });
  }

  /** Something this decides by is different now: the target, an answer of Envoy, the time. */
  changed(resend: readonly ResourceRef[] = []): void {
    if (this.#phase === 'closed') return;
    this.copies.dropExpired();
    this.copies.resolveUnknown(this.#memory.findEntry);
    this.#offers.reset();
    if (this.#phase === 'restoring' && this.#isRestored()) this.#phase = 'following';
    this.#warming.follow();
    this.#remember();
    this.#scheduleWake();
    const change = { types: this.#asked.types(), resend };
    for (const watcher of [...this.#watchers]) watcher(change);
    this.#memory.noteStatus();
  }

  #begin(): void {
    const { good, limits, clock } = this.#memory;
    this.copies.dropRetired();
    this.#fresh = true;
    // A restarted Envoy gets another chance with what its predecessor refused; unless that is what ended it.
    this.#refusals = new Map(this.#memory.takeSuspects());
    const kinds = new Set([...good.values()].map(({ resource }) => resource.typeUrl));
    for (const typeUrl of WHOLE_TYPES) if (!kinds.has(typeUrl)) this.#empty.add(typeUrl);
    this.#phase = good.size > 0 ? 'restoring' : 'following';
    this.#restoreUntil = clock.monotonic() + limits.restoreMs;
  }

  #isRestored(): boolean {
    if (this.#memory.clock.monotonic() >= this.#restoreUntil) return true;
    return [...this.#memory.good.values()].every(({ key, resource }) => {
      if (!isWholeType(resource.typeUrl) && !this.#asked.has(key)) return true;
      if (this.#refusals.get(key)?.version === resource.version) return true;
      const copy = this.copies.get(key);
      return isVersion(copy?.live, resource.version) && (copy?.warm || !isWarmedType(resource.typeUrl));
    });
  }

  /** One that has nothing of a type never speaks of it, so this ends by time alone. */
  #presumes(): boolean {
    return this.#memory.clock.monotonic() < this.#presumeUntil;
  }

  /** An Envoy that reconnects may be sent a changed cluster before it has told that it has the endpoints. */
  #listAwaitedEndpoints(names: ReadonlySet<string>): ResourceRef[] {
    const sent = [...this.copies.entries()].flatMap(([, { inFlight }]) => inFlight);
    const needed = sent.flatMap((entry) => this.#asked.listNeeds(entry, RESOURCE_TYPE.endpoint));
    return needed.filter(({ name }) => names.has(name));
  }

  #remember(): void {
    if (this.#phase === 'following') this.#memory.learn(this, this.#offers.insight);
  }

  #scheduleWake(): void {
    this.#cancelWake?.();
    const { clock, timers } = this.#memory;
    const now = clock.monotonic();
    const times = [this.copies.nextExpiry(), this.#warming.nextLimit()];
    if (this.#phase === 'restoring') times.push(this.#restoreUntil);
    if (this.#presumeUntil > now) times.push(this.#presumeUntil);
    const next = Math.min(...times.filter((time) => time !== undefined));
    this.#cancelWake = next === Infinity ? undefined : timers.after(Math.max(1, next - now), () => this.changed());
  }
}
