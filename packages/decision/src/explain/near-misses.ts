import { type EffectiveDomain, formatHostPattern, type HostPattern } from '@flotilla/policy';
import { clip } from './clip.ts';
import type { DomainMiss, ExplainedDomain, ExplainedMatch, RouteMiss } from './explanation.ts';

const DOMAINS_SHOWN_MAX = 5;
const ROUTES_SHOWN_MAX = 10;

export function coversHost(domain: EffectiveDomain, host: string): boolean {
  return domain.hosts.some((pattern) => covers(pattern, host));
}

/** The most specific entry by which a domain covers a host. */
export function describeDomain(domain: EffectiveDomain, host: string): ExplainedDomain | null {
  const covering = domain.hosts
    .filter((pattern) => covers(pattern, host))
    .sort((a, b) => specificity(b) - specificity(a));
  const [pattern] = covering;
  if (pattern === undefined) return null;
  return { policy: domain.policy.policyName, entry: formatHostPattern(pattern), kind: pattern.kind };
}

/** Entries of other domains, the nearest to the host first. Leaves out entries that share nothing with it. */
export function findOtherDomains(
  domains: readonly EffectiveDomain[],
  matched: ReadonlySet<EffectiveDomain>,
  host: string,
): ExplainedMatch['other_domains'] {
  const found: { entry: string; policy: string; why: DomainMiss; nearness: number }[] = [];
  for (const domain of domains) {
    if (matched.has(domain)) continue;
    for (const pattern of domain.hosts) {
      const nearness = nearnessOf(pattern, host);
      if (nearness === 0) continue;
      const why = covers(pattern, host) ? 'less_specific' : isBareSuffix(pattern, host) ? 'bare_suffix' : 'other_host';
      found.push({ entry: formatHostPattern(pattern), policy: domain.policy.policyName, why, nearness });
    }
  }
  return found
    .sort((a, b) => b.nearness - a.nearness || (a.entry < b.entry ? -1 : 1))
    .slice(0, DOMAINS_SHOWN_MAX)
    .map(({ entry, policy, why }) => ({ entry, policy, why }));
}

/** Routes that match no reading of the path, the nearest first. */
export function findOtherRoutes(
  domain: EffectiveDomain,
  readings: readonly string[],
  taken: ReadonlySet<string | null>,
): ExplainedMatch['other_routes'] {
  const [path = '/'] = readings;
  const folded = readings.map((reading) => reading.toLowerCase());
  return domain.routes
    .filter(({ pathPrefix }) => !taken.has(pathPrefix))
    .map(({ pathPrefix }) => ({
      path_prefix: clip(pathPrefix),
      why: whyNot(pathPrefix.toLowerCase(), folded),
      nearness: commonStart(pathPrefix, path),
    }))
    .sort((a, b) => Number(a.why === 'not_a_prefix') - Number(b.why === 'not_a_prefix') || b.nearness - a.nearness)
    .slice(0, ROUTES_SHOWN_MAX)
    .map(({ path_prefix, why }) => ({ path_prefix, why }));
}

/** Compares without case, as the router does when it matches prefixes. */
function whyNot(prefix: string, readings: readonly string[]): RouteMiss {
  if (readings.some((reading) => reading.startsWith(prefix))) return 'shorter';
  return readings.some((reading) => `${reading}/` === prefix) ? 'trailing_slash' : 'not_a_prefix';
}

function covers(pattern: HostPattern, host: string): boolean {
  switch (pattern.kind) {
    case 'any':
      return true;
    case 'suffix':
      return host.length > pattern.suffix.length && host.endsWith(pattern.suffix);
    case 'exact':
      return host === pattern.host;
  }
}

function specificity(pattern: HostPattern): number {
  if (pattern.kind === 'any') return 0;
  return pattern.kind === 'exact' ? Number.MAX_SAFE_INTEGER : pattern.suffix.length;
}

function isBareSuffix(pattern: HostPattern, host: string): boolean {
  return pattern.kind === 'suffix' && pattern.suffix === `.${host}`;
}

/** The number of common labels from the right; more for an entry that covers the host; 0 if unrelated. */
function nearnessOf(pattern: HostPattern, host: string): number {
  if (covers(pattern, host)) return 1000 + Math.min(specificity(pattern), 1000);
  if (isBareSuffix(pattern, host)) return 999;
  if (pattern.kind === 'any') return 0;
  const name = pattern.kind === 'exact' ? pattern.host : pattern.suffix.slice(1);
  if (!name.endsWith(lastLabels(host))) return 0;
  const labels = name.split('.').reverse();
  const own = host.split('.').reverse();
  let common = 0;
  while (common < labels.length && labels[common] === own[common]) common += 1;
  // Sharing only a top-level domain does not count.
  return common >= 2 ? common : 0;
}

/** The last two labels; names that differ in them are unrelated. */
function lastLabels(host: string): string {
  const dot = host.lastIndexOf('.');
  return host.slice(dot <= 0 ? 0 : host.lastIndexOf('.', dot - 1) + 1);
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
