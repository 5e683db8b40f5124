import type { EffectiveDomain, EffectivePolicy } from './effective.ts';
import type { HostPattern } from './host.ts';
import type { PathReadings } from './path.ts';
import { PrefixGroups } from './prefix-groups.ts';
import { type PathBytes, PrefixTable } from './prefix-table.ts';

/** A domain with what is attached to each of its policies. */
export interface DomainEntry<T> {
  readonly hosts: readonly HostPattern[];
  readonly policy: T;
  readonly routes: readonly { readonly pathPrefix: string; readonly policy: T }[];
}

/** What of a request says which policies it is held to. */
export interface PolicyQuery {
  /** Canonical. */
  readonly host: string;
  /** Every reading of an authority that has several (`readHosts`). */
  readonly hosts?: readonly string[] | undefined;
  readonly paths: PathReadings;
  /** The same path in bytes: spares an ordinary one its readings. */
  readonly pathBytes?: PathBytes;
}

const NONE: readonly never[] = [];

/** Makes a domain when it is first asked for. What it throws, the asker gets; the next one asks anew. */
export interface DomainSource<T> {
  make(): DomainIndex<T>;
}

/** Where a domain stands in an index: to be made, made, or made and asked for. */
export class DomainPlace<T> {
  /** What requests look into, from the first one on. */
  #asked: DomainIndex<T> | undefined;
  #made: DomainIndex<T> | undefined;
  #source: DomainSource<T> | undefined;

  constructor(made: DomainIndex<T> | undefined, source: DomainSource<T> | undefined) {
    this.#made = made;
    this.#source = source;
  }

  /** For a request. */
  get domain(): DomainIndex<T> | undefined {
    return this.#asked ?? this.#ask();
  }

  /** Whether a request came. */
  get wasAsked(): boolean {
    return this.#asked !== undefined;
  }

  /** Before a request asks for it. */
  make(): void {
    this.#made ??= this.#source?.make();
    this.#source = undefined;
  }

  #ask(): DomainIndex<T> | undefined {
    this.make();
    this.#asked = this.#made;
    return this.#asked;
  }
}

/**
 * Finds the domain of a host and the policy of a path. `T` is what the caller attaches to each effective policy (its
 * compiled engines). Built once per bundle, read-only afterwards; lookups do not depend on the number of domains.
 */
export class PolicyIndex<T> {
  readonly #exact = new Map<string, DomainPlace<T>>();
  readonly #suffixes = new Map<string, DomainPlace<T>>();
  #any: DomainPlace<T> | undefined;

  constructor(domains: readonly EffectiveDomain[], attach: (policy: EffectivePolicy) => T) {
    for (const { hosts, policy, routes } of domains) {
      const attached = routes.map((route) => ({ pathPrefix: route.pathPrefix, policy: attach(route.policy) }));
      this.add({ hosts, policy: attach(policy), routes: attached });
    }
  }

  /** Belongs to the building: an index that is looked into does not change. */
  add(domain: DomainEntry<T>): void {
    this.enter(domain.hosts, new DomainPlace(new DomainIndex(domain), undefined));
  }

  /** As `add`. */
  enter(hosts: readonly HostPattern[], place: DomainPlace<T>): void {
    for (const pattern of hosts) {
      if (pattern.kind === 'exact') this.#exact.set(pattern.host, place);
      else if (pattern.kind === 'suffix') this.#suffixes.set(pattern.suffix, place);
      else this.#any = place;
    }
  }

  /** Whether a request came for the domain that has this very pattern. */
  wasAsked(pattern: HostPattern): boolean {
    return this.#placeOf(pattern)?.wasAsked === true;
  }

  /**
   * The policies that a request is held to, each once, that of the first readings first; none where no domain covers its
   * host. One for an ordinary request.
   */
  findPolicies(request: PolicyQuery): readonly T[] {
    const { hosts } = request;
    if (hosts === undefined) {
      const domain = this.findDomain(request.host);
      if (domain === undefined) return NONE;
      return domain.findPlain(request.pathBytes) ?? domain.findPolicies(request.paths);
    }
    const found = hosts.flatMap((host) => this.findDomain(host)?.findPolicies(request.paths) ?? NONE);
    return [...new Set(found)];
  }

  /**
   * The domain that covers a canonical host: its exact entry, else the longest `*.suffix`, else `*`. A domain that wins
   * is final: where none of its routes match, its own policy holds, not that of a less specific domain.
   */
  findDomain(host: string): DomainIndex<T> | undefined {
    const exact = this.#exact.get(host);
    if (exact !== undefined) return exact.domain;
    if (this.#suffixes.size > 0) {
      // From the second character: `*.` stands for one label at least, and a label has one character at least.
      for (let dot = host.indexOf('.', 1); dot !== -1; dot = host.indexOf('.', dot + 1)) {
        const found = this.#suffixes.get(host.slice(dot));
        if (found !== undefined) return found.domain;
      }
    }
    return this.#any?.domain;
  }

  #placeOf(pattern: HostPattern): DomainPlace<T> | undefined {
    if (pattern.kind === 'exact') return this.#exact.get(pattern.host);
    return pattern.kind === 'suffix' ? this.#suffixes.get(pattern.suffix) : this.#any;
  }
}

/**
 * The routes of one domain, longest prefix first. Readings of a path come in lower case, too; where prefixes have capitals,
 * both are also compared in lower case.
 */
export class DomainIndex<T> {
  readonly #base: T;
  /** Lists of one, made once: what most requests get. */
  readonly #baseAlone: readonly T[];
  readonly #exact = new PrefixGroups<T>();
  #folded: PrefixGroups<T> | undefined;
  #plain: PrefixTable<readonly T[]> | undefined;

  constructor({ policy, routes }: DomainEntry<T>) {
    this.#base = policy;
    this.#baseAlone = [policy];
    for (const { pathPrefix, policy: found } of routes) this.add(pathPrefix, found);
  }

  /** Belongs to the building: an index that is looked into does not change. */
  add(pathPrefix: string, policy: T): void {
    const folded = pathPrefix.toLowerCase();
    // What came before has no capitals: it is its own lower case.
    if (folded !== pathPrefix && this.#folded === undefined) {
      this.#folded = this.#exact.copy();
      this.#plain = undefined;
    }
    this.#folded?.add(folded, policy);
    const found = this.#exact.add(pathPrefix, policy);
    if (found.length === 1) this.#plain?.add(pathPrefix, found);
  }

  /** Has what `findPlain` looks into made while routes are added, not by the first request: for domains of thousands. */
  prepare(): void {
    // Where prefixes have capitals, no path is looked up in it.
    if (this.#folded === undefined) this.#plain ??= new PrefixTable(this.#exact.list(), this.#baseAlone);
  }

  /** The policy of the longest prefix of one reading of a path, else the domain's. */
  findPolicy(path: string): T {
    return this.#exact.findLongest(path)?.[0] ?? this.#base;
  }

  /** What `findPolicies` says of a path that has one reading; undefined where only its readings can tell. */
  findPlain(path: PathBytes | undefined): readonly T[] | undefined {
    if (path === undefined || this.#folded !== undefined) return undefined;
    // Not while a domain is made: some are asked in spellings alone of which this says nothing.
    this.#plain ??= new PrefixTable(this.#exact.list(), this.#baseAlone);
    return this.#plain.find(path);
  }

  /** The policies of all readings of a path, each once, that of the first reading first. */
  findPolicies({ texts: readings, mayBeAny }: PathReadings): readonly T[] {
    if (mayBeAny) return this.#listPolicies(readings[0] ?? '/');
    if (readings.length <= 1 && this.#folded === undefined) {
      return this.#exact.findLongest(readings[0] ?? '/') ?? this.#baseAlone;
    }
    const found = new Set<T>();
    for (const reading of readings) found.add(this.findPolicy(reading));
    if (this.#folded !== undefined) {
      for (const reading of readings) {
        for (const policy of this.#folded.findLongest(reading.toLowerCase()) ?? this.#baseAlone) found.add(policy);
      }
    }
    return [...found];
  }

  /** Every policy of the domain, that of `path` first. */
  #listPolicies(path: string): readonly T[] {
    const ofRoutes = this.#exact.list().flatMap(([, policies]) => policies);
    return [...new Set([this.findPolicy(path), this.#base, ...ofRoutes])];
  }
}
