import type { Finding } from '../decision.ts';
import type { ExplainedMatch } from './explanation.ts';

interface Facts {
  readonly match: ExplainedMatch;
  readonly findings: readonly Finding[];
  readonly decisive: Finding | undefined;
  readonly awaitsBody: boolean;
}

/** One sentence with the verdict and its origin. */
export function summarize({ match, findings, decisive, awaitsBody }: Facts): string {
  if (decisive !== undefined) {
    const { policy, engine, verdict } = decisive;
    const detail = verdict.detail === undefined ? '' : ` (${verdict.detail})`;
    return `Blocked with ${verdict.status} by ${engine} of ${nameOf(policy.name, policy.pathPrefix)}: ${verdict.reason}${detail}.`;
  }
  if (match.domain === null) return 'Allowed: no policy covers this host.';
  const route = match.readings[0]?.route ?? undefined;
  const holder = nameOf(match.domain.policy, route);
  const detected = findings.filter(({ outcome }) => outcome === 'detected');
  const reasons = [...new Set(detected.map(({ verdict }) => verdict.reason))].join(', ');
  if (reasons !== '') return `Allowed by ${holder}, which only records in mode detect: ${reasons}.`;
  if (awaitsBody) return `Allowed by ${holder}, as the request has no body; with one, the body would be looked into.`;
  return `Allowed by ${holder}.`;
}

function nameOf(policy: string, prefix: string | undefined): string {
  return prefix === undefined ? `policy ${policy}` : `policy ${policy}, route ${prefix}`;
}
