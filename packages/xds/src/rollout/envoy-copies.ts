import type { Clock } from '@flotilla/kit';
import { parseResourceKey, type ResourceKey } from '../resource.ts';
import { isWarmedType, RESOURCE_TYPE } from '../resource-type.ts';
import { type Entry, isVersion } from './entry.ts';

/** The versions that one Envoy has of one resource. */
export interface EnvoyCopy {
  /** The last acknowledged version. */
  live: Entry | undefined;
  /** A version that Envoy reported but whose content we do not know. */
  unknownVersion: string | undefined;
  warm: boolean;
  ackedAt: number;
  /** The version in use while `live` warms. */
  previous: Entry | undefined;
  inFlight: Entry[];
  /** Versions from refused responses with several resources: Envoy may have applied them. */
  maybe: Entry[];
}

interface Retired {
  readonly entry: Entry;
  readonly until: number;
}

export interface RetireTimes {
  /** How long replaced content counts as used: requests routed by it may still look up what it refers to. */
  readonly graceMs: number;
  /** Envoy's drain time: connections of a replaced listener continue with the old content. */
  readonly drainMs: number;
}

/**
 * The resources that one Envoy has, as far as its answers show. A resource is absent, in flight, live (acknowledged) or
 * warm. Replaced and removed content stays `retired` for a while, because connections and requests that began with it
 * may still use it.
 */
export class EnvoyCopies {
  readonly #copies = new Map<ResourceKey, EnvoyCopy>();
  readonly #clock: Clock;
  readonly #times: RetireTimes;
  #retired: Retired[];

  constructor(clock: Clock, times: RetireTimes, retired: readonly Retired[] = []) {
    this.#clock = clock;
    this.#times = times;
    this.#retired = [...retired];
  }

  get(key: ResourceKey): EnvoyCopy | undefined {
    return this.#copies.get(key);
  }

  entries(): IterableIterator<[ResourceKey, EnvoyCopy]> {
    return this.#copies.entries();
  }

  get retired(): readonly Retired[] {
    return this.#retired;
  }

  /** Time at which the next retired content expires, if any. */
  nextExpiry(): number | undefined {
    return this.#retired.length === 0 ? undefined : Math.min(...this.#retired.map(({ until }) => until));
  }

  /** This Envoy has just started, so it uses nothing of its predecessor. */
  dropRetired(): void {
    this.#retired = [];
  }

  dropExpired(): void {
    const now = this.#clock.monotonic();
    if (this.#retired.some(({ until }) => until <= now))
      this.#retired = this.#retired.filter(({ until }) => until > now);
  }

  /** A reconnecting client reports that it has this version. */
  declare(key: ResourceKey, version: string, entry: Entry | undefined): void {
    const copy = this.#open(key);
    copy.live = entry;
    copy.unknownVersion = entry ? undefined : version;
    copy.warm = !isWarmedType(parseResourceKey(key).typeUrl);
    copy.ackedAt = this.#clock.monotonic();
  }

  /** A target may contain versions whose content was unknown before. */
  resolveUnknown(findEntry: (key: ResourceKey, version: string) => Entry | undefined): void {
    for (const [key, copy] of this.#copies) {
      const entry = copy.unknownVersion === undefined ? undefined : findEntry(key, copy.unknownVersion);
      if (!entry || copy.live) continue;
      copy.live = entry;
      copy.unknownVersion = undefined;
    }
  }

  findEntry(key: ResourceKey, version: string): Entry | undefined {
    const copy = this.#copies.get(key);
    return [copy?.live, copy?.previous, ...(copy?.inFlight ?? [])].find((entry) => isVersion(entry, version));
  }

  markSent(entry: Entry): void {
    this.#open(entry.key).inFlight.push(entry);
  }

  acknowledge(key: ResourceKey, version: string): void {
    const copy = this.#copies.get(key);
    const at = copy?.inFlight.findIndex(({ resource }) => resource.version === version) ?? -1;
    const entry = copy?.inFlight[at];
    if (!copy || !entry) return;
    copy.inFlight.splice(0, at + 1);
    copy.maybe = [];
    copy.unknownVersion = undefined;
    copy.ackedAt = this.#clock.monotonic();
    if (copy.live?.resource.version === version) return;
    if (isWarmedType(entry.resource.typeUrl)) {
      // Envoy discards a version that is replaced before it is warm; the previous one stays in use.
      copy.previous = copy.warm ? copy.live : copy.previous;
      copy.warm = false;
    } else {
      this.#retire(copy.live);
      copy.warm = true;
    }
    copy.live = entry;
  }

  /** If a refused response had one resource, Envoy kept what it had. If it had several, Envoy may have applied some. */
  refuse(key: ResourceKey, { version, certain }: { readonly version: string; readonly certain: boolean }): void {
    const copy = this.#copies.get(key);
    const at = copy?.inFlight.findIndex(({ resource }) => resource.version === version) ?? -1;
    const entry = copy?.inFlight[at];
    if (!copy || !entry) return;
    copy.inFlight.splice(at, 1);
    if (!certain) copy.maybe.push(entry);
    if (!copy.live && !copy.unknownVersion && copy.inFlight.length + copy.maybe.length === 0) this.#copies.delete(key);
  }

  markWarm(key: ResourceKey): void {
    const copy = this.#copies.get(key);
    if (!copy?.live || copy.warm) return;
    copy.warm = true;
    this.#retire(copy.previous);
    copy.previous = undefined;
  }

  /** A removal was acknowledged. Versions sent after it are still in flight. */
  markRemoved(key: ResourceKey): void {
    const copy = this.#copies.get(key);
    if (!copy) return;
    this.#retire(copy.previous);
    this.#retire(copy.live);
    if (copy.inFlight.length === 0) {
      this.#copies.delete(key);
      return;
    }
    Object.assign(copy, { live: undefined, previous: undefined, unknownVersion: undefined, warm: false, maybe: [] });
  }

  /** Envoy no longer requests the resource, so it has dropped it. */
  forget(key: ResourceKey): void {
    const copy = this.#copies.get(key);
    if (copy) copy.inFlight = [];
    this.markRemoved(key);
  }

  #retire(entry: Entry | undefined): void {
    if (!entry || entry.dependsOn.length === 0) return;
    const listener = parseResourceKey(entry.key).typeUrl === RESOURCE_TYPE.listener;
    const own = this.#clock.monotonic() + (listener ? this.#times.drainMs : this.#times.graceMs);
    const others = this.#retired.filter((other) => other.entry !== entry);
    const users = others.filter((other) => other.entry.dependsOn.includes(entry.key));
    const until = Math.max(own, ...users.map((user) => user.until));
    // Its dependencies may have been retired earlier, and must live as long.
    const extended = others.map((other) =>
      entry.dependsOn.includes(other.entry.key) ? { ...other, until: Math.max(other.until, until) } : other,
    );
    this.#retired = [...extended, { entry, until }];
  }

  #open(key: ResourceKey): EnvoyCopy {
    let copy = this.#copies.get(key);
    if (!copy) {
      copy = {
        live: undefined,
        unknownVersion: undefined,
        warm: false,
        ackedAt: 0,
        previous: undefined,
        inFlight: [],
        maybe: [],
      };
      this.#copies.set(key, copy);
    }
    return copy;
  }
}
