import {
  canonicalHost,
  DomainIndex,
  type EffectiveDomain,
  type EffectivePolicy,
  type HostPattern,
  isTemplateName,
  PolicyIndex,
  readHosts,
  readPath,
} from '@flotilla/policy';
import type { GuardedPolicies } from './connection-manager.ts';

/** The policy domains that an entry of a virtual host's `domains` may match. */
export interface Overlap {
  /** Only a single authority selects the entry. */
  readonly isExact: boolean;
  readonly domains: readonly EffectiveDomain[];
}

/** Determines which requests no policy applies to. Created once per bundle. */
export class PolicyCoverage {
  readonly #domains: readonly EffectiveDomain[];
  /** Policies of all domains and routes, listed once because every listener of every node needs them. */
  readonly #policies: readonly EffectivePolicy[];
  readonly #byHost: PolicyIndex<EffectivePolicy>;
  readonly #byPolicy = new Map<EffectivePolicy, EffectiveDomain>();
  /** `metadata.name` of each policy. */
  readonly policyNames: readonly string[];
  /** Listeners that a policy allows to forward connections without the filter. */
  readonly unguardedListeners: ReadonlySet<string>;

  constructor({ domains }: GuardedPolicies) {
    this.#domains = domains;
    this.#policies = domains.flatMap(({ policy, routes }) => [policy, ...routes.map((route) => route.policy)]);
    this.policyNames = [...new Set(this.#policies.map(({ policyName }) => policyName))];
    this.unguardedListeners = new Set(domains.flatMap(({ policy }) => policy.unguardedListeners));
    this.#byHost = new PolicyIndex(domains, (policy) => policy);
    for (const domain of domains) this.#byPolicy.set(domain.policy, domain);
  }

  /**
   * Policies that may apply to an authority that Envoy matches with `entry` of a virtual host
   * (config.route.v3.VirtualHost `domains`: a host, `*.suffix`, `prefix.*`, `*`; compared in lowercase). Undefined if
   * that cannot be determined.
   */
  findOverlap(entry: string): Overlap | undefined {
    const text = entry.toLowerCase();
    const star = text.indexOf('*');
    if (star === -1) {
      if (readHosts(text) !== undefined) return undefined;
      // No prefix covers the empty path, so this finds the domain's own policy, which identifies the domain.
      const policy = this.#byHost.findDomain(canonicalHost(text))?.findPolicy('');
      const domain = policy && this.#byPolicy.get(policy);
      return { isExact: true, domains: domain ? [domain] : [] };
    }
    const isSuffix = star === 0;
    if (text.indexOf('*', star + 1) !== -1 || (!isSuffix && star !== text.length - 1)) return undefined;
    const meets = isSuffix ? meetsSuffix(text.slice(1)) : meetsPrefix(text.slice(0, -1));
    return { isExact: false, domains: this.#domains.filter(({ hosts }) => hosts.some(meets)) };
  }

  /** The longest time budget of all policies. */
  get longestBudgetMs(): number {
    return this.#policies.reduce((longest, { budgetMs }) => Math.max(longest, budgetMs), 0);
  }

  /** The largest body that a policy wants to inspect, and the name of that policy. */
  get largestBody(): { readonly bytes: number; readonly policy: string } | undefined {
    const policies = this.#policies;
    const bytes = Math.max(0, ...policies.map(({ bodyMaxBytes }) => bodyMaxBytes));
    const policy = policies.find(({ bodyMaxBytes }) => bytes > 0 && bodyMaxBytes === bytes)?.policyName;
    return policy === undefined ? undefined : { bytes, policy };
  }

  /** A policy that limits GraphQL queries but does not set whether WebSockets are allowed. */
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

/** Paths that begin with `prefix`, or only `prefix` itself if it is the whole path. */
export interface PathSpan {
  readonly prefix: string;
  readonly isWhole: boolean;
}

/**
 * Whether the filter has nothing to do for requests with an ordinary path in this span: one reading, or two that differ
 * only in case.
 */
export function isUnseen(domain: EffectiveDomain, { prefix, isWhole }: PathSpan): boolean {
  const folded = prefix.toLowerCase();
  const readings = readPath(prefix);
  // Other readings mean that programs read the prefix differently.
  if (readings.mayBeAny || readings.texts.some((reading) => reading !== prefix && reading !== folded)) return false;
  const atPrefix = new DomainIndex(domain).findPolicies(readings);
  const below = isWhole
    ? []
    : domain.routes.filter(
        (route) => isTemplateName(route.pathPrefix) || route.pathPrefix.toLowerCase().startsWith(folded),
      );
  return [...atPrefix, ...below.map((route) => route.policy)].every(
    // Without the filter, headers would not be removed from the request either.
    ({ engines, withheldHeaders }) => engines.length === 0 && withheldHeaders.length === 0,
  );
}
