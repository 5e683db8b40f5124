import type { EffectiveDomain, EffectivePolicy } from './effective.ts';
import type { HostPattern } from './host.ts';

/** A domain with what is attached to each of its policies. */
export interface DomainEntry<T> {
  readonly hosts: readonly HostPattern[];
  readonly policy: T;
  readonly routes: readonly { readonly pathPrefix: string; readonly policy: T }[];
}

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

/** The routes of one domain, longest prefix first. */
export class DomainIndex<T> {
  readonly #base: T;
  readonly #byLength: readonly { readonly length: number; readonly routes: ReadonlyMap<string, T> }[];

  constructor(domain: DomainEntry<T>) {
    this.#base = domain.policy;
    const byLength = new Map<number, Map<string, T>>();
    for (const { pathPrefix, policy } of domain.routes) {
      const routes = byLength.get(pathPrefix.length) ?? new Map<string, T>();
      routes.set(pathPrefix, policy);
      byLength.set(pathPrefix.length, routes);
    }
    this.#byLength = [...byLength.entries()]
      .map(([length, routes]) => ({ length, routes }))
      .sort((a, b) => b.length - a.length);
  }

  /** The policy of the longest prefix of one reading of a path, else the domain's. */
  findPolicy(path: string): T {
    for (const { length, routes } of this.#byLength) {
      if (length > path.length) continue;
      const found = routes.get(path.slice(0, length));
      if (found !== undefined) return found;
    }
    return this.#base;
  }

  /** The policies of all readings of a path, each once, that of the first reading first. */
  findPolicies(readings: readonly string[]): readonly T[] {
    const [first = '/'] = readings;
    if (readings.length <= 1) return [this.findPolicy(first)];
    return [...new Set(readings.map((reading) => this.findPolicy(reading)))];
  }
}
