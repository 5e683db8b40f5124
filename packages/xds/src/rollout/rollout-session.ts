import { parseResourceKey, type Resource, type ResourceKey, type ResourceRef, toResourceKey } from '../resource.ts';
import type { Offer, ResourceSource, SentBatch, SourceChange, StreamObserver } from '../resource-source.ts';
import { isWarmedType, isWholeType, RESOURCE_TYPE, WHOLE_TYPES } from '../resource-type.ts';
import { deriveStatus } from './derive-status.ts';
import { type Entry, isVersion } from './entry.ts';
import { EnvoyCopies } from './envoy-copies.ts';
import { deriveInUse, isRemovable, listUnwanted } from './removal.ts';
import type { RolloutMemory } from './rollout-memory.ts';
import type { RolloutStatus } from './status.ts';
import { deriveVerdicts, type Refusal, type Verdict } from './verdict.ts';
import { WarmWatch } from './warm-watch.ts';

const WILDCARD = '*';
/** Unanswered responses that an Envoy may have per type: it holds answers back while clusters warm. */
const OUTSTANDING_MAX = 8;
/** After so long without warming, what a resource refers to is sent again: Envoy may wait for a fresh copy. */
const NUDGE_AFTER_MS = 1_000;

interface Decision {
  readonly verdicts: ReadonlyMap<ResourceKey, Verdict>;
  readonly inUse: ReadonlySet<ResourceKey>;
}

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
  readonly #asked = new Map<string, Set<string>>();
  readonly #nudged = new Set<Entry>();
  /** Types whose first answer is to be empty. */
  readonly #empty = new Set<string>();
  readonly #warmWatch: WarmWatch | undefined;
  readonly copies: EnvoyCopies;
  #refusals: Map<ResourceKey, Refusal>;
  #phase: 'unopened' | 'restoring' | 'following' | 'closed' = 'unopened';
  #fresh = false;
  #probeFails = false;
  #restoreUntil = 0;
  #presumeUntil = 0;
  #decision: Decision | undefined;
  #cancelWake: (() => void) | undefined;

  constructor(memory: RolloutMemory, onClose: (session: RolloutSession) => void) {
    this.#memory = memory;
    this.#onClose = onClose;
    this.copies = new EnvoyCopies(memory.clock, memory.limits, memory.retired);
    this.#refusals = new Map(memory.refusals);
    const { probe, timers } = memory;
    this.#warmWatch =
      probe &&
      new WarmWatch({
        probe,
        timers,
        onWarm: (resources) => this.#noteWarm(resources),
        onFailure: () => this.#noteProbeFailure(),
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
    if (this.#phase === 'restoring') return this.#offerGood(key);
    const wanted = this.#memory.goal.get(key);
    return wanted ? this.#offerWanted(wanted) : this.#offerUnwanted(key);
  }

  watch(onChange: (change: SourceChange) => void): () => void {
    this.#watchers.add(onChange);
    return () => this.#watchers.delete(onChange);
  }

  opened(typeUrl: string, versions: ReadonlyMap<string, string>): void {
    this.#asked.set(typeUrl, this.#asked.get(typeUrl) ?? new Set());
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
    const asked = this.#asked.get(typeUrl) ?? new Set();
    // Under a wildcard single names tell nothing more, and requests for unknown hosts could bring any number of them.
    if (!asked.has(WILDCARD)) for (const name of names) asked.add(name);
    this.#asked.set(typeUrl, asked);
    this.changed(typeUrl === RESOURCE_TYPE.endpoint ? this.#listAwaitedEndpoints(new Set(names)) : []);
  }

  unsubscribed(typeUrl: string, names: readonly string[]): void {
    for (const name of names) {
      this.#asked.get(typeUrl)?.delete(name);
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
      if (typeUrl === RESOURCE_TYPE.cluster) resend.push(...this.#listAsked(entry, RESOURCE_TYPE.endpoint));
    }
    // A changed cluster warms only when its endpoints come again, right behind it (Envoy docs, "Eventual consistency").
    this.changed(resend);
  }

  acknowledged(batch: SentBatch): void {
    for (const { typeUrl, name, version } of batch.resources) {
      const key = toResourceKey({ typeUrl, name });
      this.copies.acknowledge(key, version);
      if (!this.#warmWatch) this.copies.markWarm(key);
      this.#refusals.delete(key);
    }
    for (const name of batch.removed) this.copies.markRemoved(toResourceKey({ typeUrl: batch.typeUrl, name }));
    this.changed();
  }

  refused(batch: SentBatch, reason: string): void {
    // Of several the stream finds the culprit by sending fewer; only a refusal of one names it.
    const certain = batch.resources.length + batch.removed.length === 1;
    for (const { typeUrl, name, version } of batch.resources) {
      const key = toResourceKey({ typeUrl, name });
      this.copies.refuse(key, version, certain);
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
    return this.#memory.recent.filter(({ resource }) => !this.#asked.has(resource.typeUrl));
  }

  close(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#cancelWake?.();
    this.#warmWatch?.close();
    this.#watchers.clear();
    this.#onClose(this);
  }

  status(): RolloutStatus {
    const { goal, targetVersion } = this.#memory;
    const retiring = listUnwanted(this.copies, goal).map(parseResourceKey);
    return deriveStatus({
      target: goal,
      verdicts: this.#decide().verdicts,
      copies: this.copies,
      retiring,
      version: targetVersion ?? '',
    });
  }

  /** Something this decides by is different now: the target, an answer of Envoy, the time. */
  changed(resend: readonly ResourceRef[] = []): void {
    if (this.#phase === 'closed') return;
    this.copies.dropExpired();
    this.#decision = undefined;
    if (this.#phase === 'restoring' && this.#isRestored()) this.#phase = 'following';
    this.#watchWarmth();
    this.#remember();
    this.#scheduleWake();
    const change = { types: new Set(this.#asked.keys()), resend };
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
      if (!isWholeType(resource.typeUrl) && !this.#isAsked(key)) return true;
      if (this.#refusals.get(key)?.version === resource.version) return true;
      const copy = this.copies.get(key);
      return isVersion(copy?.live, resource.version) && (copy?.warm || !isWarmedType(resource.typeUrl));
    });
  }

  #offerGood(key: ResourceKey): Offer {
    const entry = this.#memory.good.get(key);
    if (!entry) return this.#memory.goal.has(key) ? { kind: 'keep', resource: undefined } : { kind: 'absent' };
    const refused = this.#refusals.get(key)?.version === entry.resource.version;
    return refused ? { kind: 'keep', resource: undefined } : { kind: 'serve', resource: entry.resource };
  }

  #offerWanted(entry: Entry): Offer {
    const verdict = this.#decide().verdicts.get(entry.key)?.kind ?? 'waiting';
    if (verdict === 'held') return this.#offerBack(entry);
    if (verdict === 'waiting' || verdict === 'refused') return this.#offerLast(entry.key);
    return { kind: 'serve', resource: entry.resource };
  }

  /** Envoy may already have taken it before what it needs was refused: then it gets back what worked before. */
  #offerBack({ key, resource }: Entry): Offer {
    const copy = this.copies.get(key);
    if (!isVersion(copy?.live, resource.version)) return this.#offerLast(key);
    const before = copy?.previous ?? this.#memory.good.get(key);
    return before ? { kind: 'serve', resource: before.resource } : { kind: 'keep', resource };
  }

  #offerUnwanted(key: ResourceKey): Offer {
    if (!isRemovable(key, this.#decide().inUse, this.copies)) return this.#offerLast(key);
    return { kind: 'absent' };
  }

  /** Whatever of it is known to work. */
  #offerLast(key: ResourceKey): Offer {
    const copy = this.copies.get(key);
    if (copy?.live || copy?.unknownVersion !== undefined) return { kind: 'keep', resource: copy.live?.resource };
    const good = this.#memory.good.get(key);
    const usable = good && this.#refusals.get(key)?.version !== good.resource.version;
    return usable ? { kind: 'serve', resource: good.resource } : { kind: 'keep', resource: undefined };
  }

  #decide(): Decision {
    this.#decision ??= this.#derive();
    return this.#decision;
  }

  #derive(): Decision {
    const { goal, good, limits, clock } = this.#memory;
    const verdicts = deriveVerdicts({
      target: goal,
      copies: this.copies,
      refusals: this.#refusals,
      isWanted: (key) => this.#isAsked(key),
      now: clock.monotonic(),
      warmLimitMs: limits.warmMs,
      probeFails: this.#probeFails,
    });
    const inUse = deriveInUse(this.copies, goal, this.#listPresumed(), (key) => {
      const verdict = verdicts.get(key)?.kind;
      const replaced = verdict === 'settled' || verdict === 'open';
      return replaced ? undefined : good.get(key);
    });
    return { verdicts, inUse };
  }

  /**
   * An Envoy that comes back tells what it has type by type. Of types that it has not told yet it has what it had, until
   * the time limit: one that has nothing of a type never speaks of it.
   */
  #listPresumed(): Entry[] {
    if (this.#memory.clock.monotonic() >= this.#presumeUntil) return [];
    return [...this.listUntold(), ...this.#memory.good.values()].filter(
      ({ resource }) => !this.#asked.has(resource.typeUrl),
    );
  }

  #isAsked(key: ResourceKey): boolean {
    const { typeUrl, name } = parseResourceKey(key);
    const asked = this.#asked.get(typeUrl);
    return asked !== undefined && (asked.has(name) || asked.has(WILDCARD));
  }

  #listAsked(entry: Entry, typeUrl?: string): ResourceRef[] {
    const keys = entry.dependsOn.filter((key) => this.#isAsked(key));
    return keys.map(parseResourceKey).filter((ref) => typeUrl === undefined || ref.typeUrl === typeUrl);
  }

  #watchWarmth(): void {
    const cold = [...this.copies.entries()].flatMap(([, { live, warm }]) =>
      live && !warm && isWarmedType(live.resource.typeUrl) ? [live.resource] : [],
    );
    this.#warmWatch?.set(cold);
  }

  #noteWarm(resources: readonly Resource[]): void {
    this.#probeFails = false;
    for (const resource of resources) {
      const key = toResourceKey(resource);
      // By now Envoy may have acknowledged a newer version.
      if (this.copies.get(key)?.live?.resource.version === resource.version) this.copies.markWarm(key);
    }
    const resend = this.#listNudged();
    if (resources.length > 0 || resend.length > 0) this.changed(resend);
  }

  #noteProbeFailure(): void {
    const resend = this.#listNudged();
    if (this.#probeFails && resend.length === 0) return;
    this.#probeFails = true;
    this.changed(resend);
  }

  #listNudged(): ResourceRef[] {
    const now = this.#memory.clock.monotonic();
    const nudged: ResourceRef[] = [];
    for (const [, { live, warm, ackedAt }] of this.copies.entries()) {
      if (!live || warm || now - ackedAt < NUDGE_AFTER_MS || this.#nudged.has(live)) continue;
      this.#nudged.add(live);
      nudged.push(...this.#listAsked(live));
    }
    return nudged;
  }

  /** An Envoy that reconnects may be sent a changed cluster before it has told that it has the endpoints. */
  #listAwaitedEndpoints(names: ReadonlySet<string>): ResourceRef[] {
    const sent = [...this.copies.entries()].flatMap(([, { inFlight }]) => inFlight);
    const needed = sent.flatMap((entry) => this.#listAsked(entry, RESOURCE_TYPE.endpoint));
    return needed.filter(({ name }) => names.has(name));
  }

  #remember(): void {
    if (this.#phase !== 'following') return;
    const { verdicts, inUse } = this.#decide();
    this.#memory.learn(this, { verdicts, inUse });
  }

  #scheduleWake(): void {
    this.#cancelWake?.();
    const { clock, timers, limits } = this.#memory;
    const now = clock.monotonic();
    const times = [this.copies.nextExpiry()];
    if (this.#phase === 'restoring') times.push(this.#restoreUntil);
    if (this.#presumeUntil > now) times.push(this.#presumeUntil);
    for (const [, { live, warm, ackedAt }] of this.copies.entries()) {
      if (live && !warm && ackedAt + limits.warmMs > now) times.push(ackedAt + limits.warmMs);
    }
    const next = Math.min(...times.filter((time) => time !== undefined));
    this.#cancelWake = next === Infinity ? undefined : timers.after(Math.max(1, next - now), () => this.changed());
  }
}
