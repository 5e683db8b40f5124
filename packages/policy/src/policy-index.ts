import type { EffectiveDomain, EffectivePolicy } from './effective.ts';
import type { HostPattern } from './host.ts';
import type { PathReadings } from './path.ts';
import { PrefixGroups } from './prefix-groups.ts';
import { type PathBytes, PrefixTable } from './prefix-table.ts';
import { isTemplateName, TemplateRoutes } from './route-template.ts';

/** A domain with what is attached to each of its policies. */
export interface DomainEntry<T> {
  readonly hosts: readonly HostPattern[];
  readonly policy: T;
  readonly routes: readonly { readonly pathPrefix: string; readonly policy: T }[];
}

/** The parts of a request that determine its policies. */
export interface PolicyQuery {
  /** Canonical. */
  readonly host: string;
  /** Every reading of an ambiguous authority (`readHosts`). */
  readonly hosts?: readonly string[] | undefined;
  readonly paths: PathReadings;
  /** The same path in bytes, with which an ordinary path needs no readings. */
  readonly pathBytes?: PathBytes;
}

const NONE: readonly never[] = [];

/** Creates a domain when it is first needed. The requester gets its exception; the next one tries again. */
export interface DomainSource<T> {
  make(): DomainIndex<T>;
}

/** The state of a domain in an index: not created, created, or created and requested. */
export class DomainPlace<T> {
  /** Set from the first request on. */
  #asked: DomainIndex<T> | undefined;
  #made: DomainIndex<T> | undefined;
  #source: DomainSource<T> | undefined;

  constructor(made: DomainIndex<T> | undefined, source: DomainSource<T> | undefined) {
    this.#made = made;
    this.#source = source;
  }

  /** For requests; marks the domain as requested. */
  get domain(): DomainIndex<T> | undefined {
    return this.#asked ?? this.#ask();
  }

  /** Whether a request has asked for the domain. */
  get wasAsked(): boolean {
    return this.#asked !== undefined;
  }

  /** Creates the domain before a request needs it. */
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
 * compiled engines). Built once per bundle and read-only afterwards; the cost of a lookup does not depend on the number
 * of domains.
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

  /** Only for building: an index in use does not change. */
  add(domain: DomainEntry<T>): void {
    this.enter(domain.hosts, new DomainPlace(new DomainIndex(domain), undefined));
  }

  /** Only for building, like `add`. */
  enter(hosts: readonly HostPattern[], place: DomainPlace<T>): void {
    for (const pattern of hosts) {
      if (pattern.kind === 'exact') this.#exact.set(pattern.host, place);
      else if (pattern.kind === 'suffix') this.#suffixes.set(pattern.suffix, place);
      else this.#any = place;
    }
  }

  /** Whether a request has asked for the domain with exactly this pattern. */
  wasAsked(pattern: HostPattern): boolean {
    return this.#placeOf(pattern)?.wasAsked === true;
  }

  /**
   * The policies that apply to a request, unique, those of the first readings first; none if no domain covers its host.
   * One for an ordinary request.
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
   * The domain that covers a canonical host: its exact entry, else the longest `*.suffix`, else `*`. The choice is
   * final: if none of its routes match, its own policy applies, not that of a less specific domain.
   */
  findDomain(host: string): DomainIndex<T> | undefined {
    const exact = this.#exact.get(host);
    if (exact !== undefined) return exact.domain;
    if (this.#suffixes.size > 0) {
      // Starts at the second character: `*.` covers at least one label, which has at least one character.
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
 * The routes of one domain: templates, then the longest prefix first. Readings of a path include lowercase ones; if routes have
 * capitals, both are also compared in lowercase. A domain with templates has no table for plain paths.
 */
export class DomainIndex<T> {
  readonly #base: T;
  /** Preallocated single-element lists, which most requests get. */
  readonly #baseAlone: readonly T[];
  readonly #exact = new PrefixGroups<T>();
  #folded: PrefixGroups<T> | undefined;
  #templates: TemplateRoutes<T> | undefined;
  #foldedTemplates: TemplateRoutes<T> | undefined;
  #plain: PrefixTable<readonly T[]> | undefined;

  constructor({ policy, routes }: DomainEntry<T>) {
    this.#base = policy;
    this.#baseAlone = [policy];
    for (const { pathPrefix, policy: found } of routes) this.add(pathPrefix, found);
  }

  /** Only for building: an index in use does not change. */
  add(pathPrefix: string, policy: T): void {
    if (isTemplateName(pathPrefix)) {
      this.#addTemplate(pathPrefix, policy);
      return;
    }
    const folded = pathPrefix.toLowerCase();
    // Earlier prefixes have no capitals, so they are already in lowercase.
    if (folded !== pathPrefix && this.#folded === undefined) {
      this.#folded = this.#exact.copy();
      this.#plain = undefined;
    }
    this.#folded?.add(folded, policy);
    const found = this.#exact.add(pathPrefix, policy);
    if (found.length === 1) this.#plain?.add(pathPrefix, found);
  }

  #addTemplate(name: string, policy: T): void {
    this.#templates ??= new TemplateRoutes();
    this.#templates.add(name, policy);
    this.#plain = undefined;
    const texts = name.replace(/\{[^{}]*\}/g, '');
    if (texts !== texts.toLowerCase()) this.#folded ??= this.#exact.copy();
    this.#foldedTemplates = undefined;
  }

  /** Creates the table for `findPlain` now and not in the first request, for domains with thousands of routes. */
  prepare(): void {
    // If prefixes have capitals, the table is not used.
    if (this.#folded === undefined && this.#templates === undefined)
      this.#plain ??= new PrefixTable(this.#exact.list(), this.#baseAlone);
  }

  /** The policy of the longest prefix of one path reading, else the domain's. */
  findPolicy(path: string): T {
    return (this.#templates?.find(path) ?? this.#exact.findLongest(path))?.[0] ?? this.#base;
  }

  /** Same as `findPolicies` for a path with a single reading; undefined if its readings are needed. */
  findPlain(path: PathBytes | undefined): readonly T[] | undefined {
    if (path === undefined || this.#folded !== undefined || this.#templates !== undefined) return undefined;
    // Created late, because some domains get only requests that do not use it.
    this.#plain ??= new PrefixTable(this.#exact.list(), this.#baseAlone);
    return this.#plain.find(path);
  }

  /** The policies of all readings of a path, unique, that of the first reading first. */
  findPolicies({ texts: readings, mayBeAny }: PathReadings): readonly T[] {
    if (mayBeAny) return this.#listPolicies(readings[0] ?? '/');
    if (readings.length <= 1 && this.#folded === undefined) {
      const path = readings[0] ?? '/';
      return this.#templates?.find(path) ?? this.#exact.findLongest(path) ?? this.#baseAlone;
    }
    const found = new Set<T>();
    for (const reading of readings) found.add(this.findPolicy(reading));
    if (this.#folded !== undefined) {
      this.#foldedTemplates ??= this.#templates?.fold();
      for (const reading of readings) {
        const lower = reading.toLowerCase();
        const policies = this.#foldedTemplates?.find(lower) ?? this.#folded.findLongest(lower) ?? this.#baseAlone;
        for (const policy of policies) found.add(policy);
      }
    }
    return [...found];
  }

  /** Every policy of the domain, that of `path` first. */
  #listPolicies(path: string): readonly T[] {
    const ofRoutes = this.#exact.list().flatMap(([, policies]) => policies);
    const ofTemplates = this.#templates?.list().map(([, policy]) => policy) ?? [];
    return [...new Set([this.findPolicy(path), this.#base, ...ofTemplates, ...ofRoutes])];
  }
}
