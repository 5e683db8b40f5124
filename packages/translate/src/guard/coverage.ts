import {
  canonicalHost,
  DomainIndex,
  type EffectiveDomain,
  type EffectivePolicy,
  type HostPattern,
  PolicyIndex,
  readHosts,
  readPath,
} from '@flotilla/policy';
import type { GuardedPolicies } from './connection-manager.ts';

/** What an entry of a virtual host's `domains` may meet among the domains of policies. */
export interface Overlap {
  /** Only one text of an authority selects the entry. */
  readonly isExact: boolean;
  readonly domains: readonly EffectiveDomain[];
}

/** Answers which requests no policy looks at. Made once per bundle. */
export class PolicyCoverage {
  readonly #domains: readonly EffectiveDomain[];
  /** Of all domains and routes: listed once, and asked for every listener of every node. */
  readonly #policies: readonly EffectivePolicy[];
  readonly #byHost: PolicyIndex<EffectivePolicy>;
  readonly #byPolicy = new Map<EffectivePolicy, EffectiveDomain>();

  constructor({ domains }: GuardedPolicies) {
    this.#domains = domains;
    this.#policies = domains.flatMap(({ policy, routes }) => [policy, ...routes.map((route) => route.policy)]);
    this.#byHost = new PolicyIndex(domains, (policy) => policy);
    for (const domain of domains) this.#byPolicy.set(domain.policy, domain);
  }

  /**
   * Policies that may hold for an authority which Envoy matches with `entry` of a virtual host (config.route.v3.VirtualHost
   * `domains`: a host, `*.suffix`, `prefix.*`, `*`; compared in lower case). Undefined where that cannot be told.
   */
  findOverlap(entry: string): Overlap | undefined {
    const text = entry.toLowerCase();
    const star = text.indexOf('*');
    if (star === -1) {
      if (readHosts(text) !== undefined) return undefined;
      // The empty path is under no prefix: it leads to the domain's own policy, which names the domain.
      const policy = this.#byHost.findDomain(canonicalHost(text))?.findPolicy('');
      const domain = policy && this.#byPolicy.get(policy);
      return { isExact: true, domains: domain ? [domain] : [] };
    }
    const isSuffix = star === 0;
    if (text.indexOf('*', star + 1) !== -1 || (!isSuffix && star !== text.length - 1)) return undefined;
    const meets = isSuffix ? meetsSuffix(text.slice(1)) : meetsPrefix(text.slice(0, -1));
    return { isExact: false, domains: this.#domains.filter(({ hosts }) => hosts.some(meets)) };
  }

  /** The longest time that a policy gives to its engines. */
  get longestBudgetMs(): number {
    return this.#policies.reduce((longest, { budgetMs }) => Math.max(longest, budgetMs), 0);
  }

  /** The largest body that a policy wants to see whole, and whose it is. */
  get largestBody(): { readonly bytes: number; readonly policy: string } | undefined {
    const policies = this.#policies;
    const bytes = Math.max(0, ...policies.map(({ bodyMaxBytes }) => bodyMaxBytes));
    const policy = policies.find(({ bodyMaxBytes }) => bytes > 0 && bodyMaxBytes === bytes)?.policyName;
    return policy === undefined ? undefined : { bytes, policy };
  }

  /** A policy that limits GraphQL queries and does not say whether WebSockets are to go on beside it. */
  get silentOnUpgrades(): string | undefined {
    return this.#policies.find(({ engines }) =>
      engines.some(({ engine, options }) => engine === 'graphql' && options.blockUpgrades === undefined),
    )?.policyName;
  }
}

const coverages = new WeakMap<GuardedPolicies, PolicyCoverage>();

export function coverageOf(policies: GuardedPolicies): PolicyCoverage {
  const coverage = coverages.get(policies) ?? new PolicyCoverage(policies);
  coverages.set(policies, coverage);
  return coverage;
}

function meetsSuffix(suffix: string): (pattern: HostPattern) => boolean {
  return (pattern) => {
    if (pattern.kind === 'any' || suffix === '') return true;
    if (pattern.kind === 'exact') return pattern.host.endsWith(suffix);
    return suffix.endsWith(pattern.suffix) || pattern.suffix.endsWith(suffix);
  };
}

function meetsPrefix(prefix: string): (pattern: HostPattern) => boolean {
  return (pattern) => pattern.kind !== 'exact' || pattern.host.startsWith(prefix);
}

/** Paths that begin with `prefix`, or `prefix` alone where it is the whole path. */
export interface PathSpan {
  readonly prefix: string;
  readonly isWhole: boolean;
}

/** Whether the filter has nothing to do for requests with an ordinary path of these: one reading, or two that differ in capitals. */
export function isUnseen(domain: EffectiveDomain, { prefix, isWhole }: PathSpan): boolean {
  const folded = prefix.toLowerCase();
  const readings = readPath(prefix);
  // Anything but these two: a prefix that programs read differently.
  if (readings.mayBeAny || readings.texts.some((reading) => reading !== prefix && reading !== folded)) return false;
  const atPrefix = new DomainIndex(domain).findPolicies(readings);
  const below = isWhole ? [] : domain.routes.filter((route) => route.pathPrefix.toLowerCase().startsWith(folded));
  return [...atPrefix, ...below.map((route) => route.policy)].every(
    // A filter that is not asked takes no header from the request either.
    ({ engines, withheldHeaders }) => engines.length === 0 && withheldHeaders.length === 0,
  );
}
