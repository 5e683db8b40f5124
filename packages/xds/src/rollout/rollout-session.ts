import { parseResourceKey, type ResourceKey, type ResourceRef, toResourceKey } from '../resource.ts';
import type { Offer, ResourceSource, SentBatch, SourceChange, StreamObserver } from '../resource-source.ts';
import { isWarmedType, isWholeType, RESOURCE_TYPE, WHOLE_TYPES, WILDCARD } from '../resource-type.ts';
import { AskedNames } from './asked-names.ts';
import { deriveStatus } from './derive-status.ts';
import { type Entry, isVersion } from './entry.ts';
import { EnvoyCopies } from './envoy-copies.ts';
import { Offers } from './offers.ts';
import { listUnwanted } from './removal.ts';
import { Retries } from './retries.ts';
import type { RolloutMemory } from './rollout-memory.ts';
import type { RolloutStatus } from './status.ts';
import type { Refusal } from './verdict.ts';
import { Warming } from './warming.ts';

/** Unanswered responses allowed per type: Envoy holds answers back while clusters warm. */
const OUTSTANDING_MAX = 8;

/**
 * Controls what one Envoy sees on one stream, and tracks its answers.
 *
 * - `unopened`: no request yet.
 * - `restoring`: Envoy came without configuration and there is a last good set, which it gets at once. Ends when
 *   Envoy has accepted and warmed (or refused) everything of it that it requested, or after the time limit.
 * - `following`: each wanted resource becomes visible once its dependencies are acknowledged and warm. Unwanted
 *   resources are removed once nothing in use refers to them.
 * - `closed`: keeps its record and changes nothing.
 *
 * A fresh Envoy first gets an empty response for clusters or listeners if none is known to work: everything in its
 * first response must become warm before it serves at all, and one bad resource would prevent that.
 *
 * A refused resource keeps its last acknowledged version, and so do its dependents; everything else moves on. A listener
 * whose address is taken is sent again after a while. A new target may come in any state: pending answers are recorded
 * for the version that was sent.
 */
export class RolloutSession implements ResourceSource, StreamObserver {
  readonly #memory: RolloutMemory;
  readonly #onClose: (session: RolloutSession) => void;
  readonly #watchers = new Set<(change: SourceChange) => void>();
  readonly #asked = new AskedNames();
  readonly #offers: Offers;
  /** Types whose first response must be empty. */
  readonly #empty = new Set<string>();
  readonly #warming: Warming;
  readonly #retries: Retries;
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
    this.#retries = new Retries(memory.clock, memory.refusals);
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
    // A changed cluster becomes warm only when its endpoints are sent again right after it (Envoy docs, "Eventual
    // consistency").
    this.changed(resend);
  }

  acknowledged(batch: SentBatch): void {
    for (const { typeUrl, name, version } of batch.resources) {
      const key = toResourceKey({ typeUrl, name });
      const before = this.copies.get(key)?.live;
      this.copies.acknowledge(key, version);
      this.#retries.clear(key);
      // A newer version was accepted, so the refused version may be tried again if it becomes wanted.
      if (!isVersion(before, version)) this.#refusals.delete(key);
      this.#warming.noteAcknowledged(key);
    }
    for (const name of batch.removed) this.copies.markRemoved(toResourceKey({ typeUrl: batch.typeUrl, name }));
    this.changed();
  }

  refused(batch: SentBatch, reason: string): void {
    // If there were several, the stream isolates the culprit; only a refusal of a single resource names it.
    const certain = batch.resources.length + batch.removed.length === 1;
    for (const { typeUrl, name, version } of batch.resources) {
      const key = toResourceKey({ typeUrl, name });
      this.copies.refuse(key, { version, certain });
      if (!certain) continue;
      this.#refusals.set(key, { version, reason });
      this.#retries.note(key, { version, reason });
    }
    this.changed();
  }

  /** Options for a stream of this Envoy. */
  get binding(): { source: ResourceSource; observer: StreamObserver; maxOutstanding: number; onClose: () => void } {
    return { source: this, observer: this, maxOutstanding: OUTSTANDING_MAX, onClose: () => this.close() };
  }

  /**
   * Resources that an earlier stream left at Envoy and that this stream has not mentioned; none once Envoy proved to be
   * a new one.
   */
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

  /** Call after a change of the target, an answer of Envoy, or a passed deadline. */
  changed(resend: readonly ResourceRef[] = []): void {
    if (this.#phase === 'closed') return;
    this.copies.dropExpired();
    this.copies.resolveUnknown(this.#memory.findEntry);
    const again = [...resend, ...this.#retry()];
    this.#offers.reset();
    if (this.#phase === 'restoring' && this.#isRestored()) this.#phase = 'following';
    this.#warming.follow();
    this.#remember();
    this.#scheduleWake();
    const change = { types: this.#asked.types(), resend: again };
    for (const watcher of [...this.#watchers]) watcher(change);
    this.#memory.noteStatus();
  }

  /** The refused resources that Envoy may accept by now. Their refusals are forgotten. */
  #retry(): ResourceRef[] {
    return this.#retries.takeDue().flatMap(({ key, version }) => {
      const isWanted = this.#memory.findEntry(key, version) !== undefined;
      if (!isWanted || this.#refusals.get(key)?.version !== version) return [];
      this.#refusals.delete(key);
      return [parseResourceKey(key)];
    });
  }

  #begin(): void {
    const { good, limits, clock } = this.#memory;
    this.copies.dropRetired();
    this.#fresh = true;
    // A restarted Envoy gets another chance with content that its predecessor refused, unless that content ended it.
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

  /** An Envoy without resources of a type never mentions the type, so only time ends this state. */
  #presumes(): boolean {
    return this.#memory.clock.monotonic() < this.#presumeUntil;
  }

  /** A reconnecting Envoy may be sent a changed cluster before it has reported that it has the endpoints. */
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
    const times = [this.copies.nextExpiry(), this.#warming.nextLimit(), this.#retries.next()];
    if (this.#phase === 'restoring') times.push(this.#restoreUntil);
    if (this.#presumeUntil > now) times.push(this.#presumeUntil);
    const next = Math.min(...times.filter((time) => time !== undefined));
    this.#cancelWake = next === Infinity ? undefined : timers.after(Math.max(1, next - now), () => this.changed());
  }
}
