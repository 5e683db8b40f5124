import type { FindingEvidence, FindingSeverity } from '@flotilla/contract';
import { RISK_FLAG_NAMES, RISK_FLAGS, type RiskFlag } from '@flotilla/inventory';

const DAY_S = 86_400;

/** The evidence that the traffic has to give before a finding is fixed. */
export interface EvidenceRule {
  /** The requests that would have shown the flag. */
  readonly counts: FindingEvidence['counts'];
  readonly requests: number;
  /** The operation has to be in use for at least so long after the last sighting. */
  readonly usedS: number;
  readonly condition: FindingEvidence['condition'];
}

/** With fewer requests, a flag that one request in ten shows may be missing by chance. */
const REQUESTS = 50;
/** A flag that was away before for so long needs twice this time. */
const GAP_FACTOR = 2;
const USED_MAX_S = 30 * DAY_S;

/** Flags that an answer shows, by the answers that may show them: see `addHeaders` and `addStatus` of the collector. */
const COUNTS: Partial<Record<RiskFlag, FindingEvidence['counts']>> = {
  missing_hsts: 'success',
  missing_csp: 'success',
  missing_x_frame_options: 'success',
  missing_x_content_type_options: 'success',
  bfla_suspect: 'success',
  unauthenticated: 'accepted',
  permissive_cors: 'accepted',
  cors_credentials_wildcard: 'accepted',
  cors_origin_reflection: 'accepted',
  cookie_missing_secure: 'accepted',
  cookie_missing_httponly: 'accepted',
  cookie_samesite_none_insecure: 'accepted',
  version_disclosure: 'answers',
  error_status: 'answers',
  oversized_response: 'answers',
};

/**
 * Flags that other requests cannot refute. If everybody has credentials, nothing shows that anonymous requests would be refused; and a flag about
 * tokens is refuted by a token.
 */
const CONDITIONS: Partial<Record<RiskFlag, FindingEvidence['condition']>> = {
  unauthenticated: 'anonymous_refused',
  bfla_suspect: 'anonymous_refused',
  auth_inconsistent: 'anonymous_refused',
  weak_token_ttl: 'jwt_seen',
};

export const EVIDENCE_RULES: Readonly<Record<RiskFlag, EvidenceRule>> = Object.fromEntries(
  RISK_FLAG_NAMES.map((flag): [RiskFlag, EvidenceRule] => {
    const condition = CONDITIONS[flag] ?? null;
    return [
      flag,
      {
        // A refused anonymous request is evidence, although it was not accepted.
        counts: condition === 'anonymous_refused' ? 'requests' : (COUNTS[flag] ?? 'requests'),
        requests: REQUESTS,
        // An attacker may pause; a header is there or not.
        usedS: RISK_FLAGS[flag].axis === 'threat' ? 7 * DAY_S : DAY_S,
        condition,
      },
    ];
  }),
) as Record<RiskFlag, EvidenceRule>;

/** The time for which the flag has to be away. A flapping flag needs more. */
export function usedNeededS(rule: EvidenceRule, widestGapS: number): number {
  return Math.max(rule.usedS, Math.min(USED_MAX_S, GAP_FACTOR * widestGapS));
}

/** Flags that make findings: all but the informational ones. */
export const FINDING_FLAGS: readonly RiskFlag[] = RISK_FLAG_NAMES.filter(
  (flag) => RISK_FLAGS[flag].severity !== 'info',
);

const RANKS: readonly FindingSeverity[] = ['critical', 'high', 'medium', 'low'];

/** 0 is the worst. */
export function rankOf(flag: RiskFlag): number {
  return (RANKS as readonly string[]).indexOf(RISK_FLAGS[flag].severity);
}

export function severityOf(rank: number): FindingSeverity {
  return RANKS[rank] ?? 'low';
}
