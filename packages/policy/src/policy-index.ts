import type { EffectiveDomain, EffectivePolicy } from './effective.ts';
import type { HostPattern } from './host.ts';
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
  /** Every reading of the path (`readPath`), the router's first. */
  readonly paths: readonly string[];
  /** The same path in bytes: spares an ordinary one its readings. */
  readonly pathBytes?: PathBytes;
}

const NONE: readonly never[] = [];

/**
 * Finds the domain of a host and the policy of a path. `T` is what the caller attaches to each effective policy (its
 * compiled engines). Built once per bundle, read-only afterwards; lookups do not depend on the number of domains.
 */
export class PolicyIndex<T> {
  readonly #exact = new Map<string, DomainIndex<T>>();
  readonly #suffixes = new Map<string, DomainIndex<T>>();
  #any: DomainIndex<T> | undefined;

  constructor(domains: readonly EffectiveDomain[], attach: (policy: EffectivePolicy) => T) {
    for (const { hosts, policy, routes } of domains) {
      const attached = routes.map((route) => ({ pathPrefix: route.pathPrefix, policy: attach(route.policy) }));
      this.add({ hosts, policy: attach(policy), routes: attached });
    }
  }

  /** Belongs to the building: an index that is looked into does not change. */
  add(domain: DomainEntry<T>): void {
    const index = new DomainIndex(domain);
    for (const pattern of domain.hosts) {
      if (pattern.kind === 'exact') this.#exact.set(pattern.host, index);
      else if (pattern.kind === 'suffix') this.#suffixes.set(pattern.suffix, index);
      else this.#any = index;
    }
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
    if (exact !== undefined) return exact;
    if (this.#suffixes.size > 0) {
      // From the second character: `*.` stands for one label at least, and a label has one character at least.
      for (let dot = host.indexOf('.', 1); dot !== -1; dot = host.indexOf('.', dot + 1)) {
        const found = this.#suffixes.get(host.slice(dot));
        if (found !== undefined) return found;
      }
    }
    return this.#any;
  }
}

/** Prefixes of one length with what stands behind each. */
interface PrefixLength<T> {
  readonly length: number;
  readonly routes: Map<string, readonly T[]>;
}

/**
 * The routes of one domain, longest prefix first. Readings of a path come in lower case, too; where prefixes have capitals,
 * both are also compared in lower case.
 */
export class DomainIndex<T> {
  readonly #base: T;
  /** Lists of one, made once: what most requests get. */
  readonly #baseAlone: readonly T[];
  readonly #exact: readonly PrefixLength<T>[];
  readonly #folded: readonly PrefixLength<T>[] | undefined;
  #plain: PrefixTable<readonly T[]> | undefined;

  constructor({ policy, routes }: DomainEntry<T>) {
    this.#base = policy;
    this.#baseAlone = [policy];
    this.#exact = groupByLength(routes);
    const hasCapitals = routes.some(({ pathPrefix }) => pathPrefix !== pathPrefix.toLowerCase());
    this.#folded = hasCapitals
      ? groupByLength(routes.map((route) => ({ ...route, pathPrefix: route.pathPrefix.toLowerCase() })))
      : undefined;
  }

  /** The policy of the longest prefix of one reading of a path, else the domain's. */
  findPolicy(path: string): T {
    return findLongest(this.#exact, path)?.[0] ?? this.#base;
  }

  /** What `findPolicies` says of a path that has one reading; undefined where only its readings can tell. */
  findPlain(path: PathBytes | undefined): readonly T[] | undefined {
    if (path === undefined || this.#folded !== undefined) return undefined;
    // Not while a bundle is loaded: most domains of a large one are not asked for at once.
    this.#plain ??= new PrefixTable(
      this.#exact.flatMap(({ routes }) => [...routes]),
      this.#baseAlone,
    );
    return this.#plain.find(path);
  }

  /** The policies of all readings of a path, each once, that of the first reading first. */
  findPolicies(readings: readonly string[]): readonly T[] {
    if (readings.length <= 1 && this.#folded === undefined) {
      return findLongest(this.#exact, readings[0] ?? '/') ?? this.#baseAlone;
    }
    const found = new Set<T>();
    for (const reading of readings) found.add(this.findPolicy(reading));
    if (this.#folded !== undefined) {
      for (const reading of readings) {
        for (const policy of findLongest(this.#folded, reading.toLowerCase()) ?? this.#baseAlone) found.add(policy);
      }
    }
    return [...found];
  }
}

function groupByLength<T>(routes: DomainEntry<T>['routes']): PrefixLength<T>[] {
  const byLength = new Map<number, PrefixLength<T>>();
  for (const { pathPrefix, policy } of routes) {
    const group = byLength.get(pathPrefix.length) ?? { length: pathPrefix.length, routes: new Map() };
    group.routes.set(pathPrefix, [...(group.routes.get(pathPrefix) ?? []), policy]);
    byLength.set(pathPrefix.length, group);
  }
  return [...byLength.values()].sort((a, b) => b.length - a.length);
}

function findLongest<T>(groups: readonly PrefixLength<T>[], path: string): readonly T[] | undefined {
  for (const { length, routes } of groups) {
    if (length > path.length) continue;
    const found = routes.get(path.slice(0, length));
    if (found !== undefined) return found;
  }
  return undefined;
}
