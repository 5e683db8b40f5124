import type { FindingEvidence } from '@flotilla/contract';
import type { RiskFlag } from '@flotilla/inventory';
import { EVIDENCE_RULES, usedNeededS } from './rules.ts';
import { countEligible, lastReset, lastSighting, type Observed } from './sighting.ts';

/** Where the evidence of a finding starts. */
export interface EvidenceStart {
  readonly flag: RiskFlag;
  /** Requests before it do not count. */
  readonly startsMs: number;
  readonly startsWith: FindingEvidence['starts_with'];
  /** Eligible requests until then, as the counter of the operation said. */
  readonly base: number;
  /** The reset of the operation that `base` belongs to. */
  readonly resetMs: number;
  readonly widestGapS: number;
}

/**
 * Derives the evidence that the traffic has given since the flag was last seen. A sighting that the pass has not written yet leaves nothing of
 * the evidence before it.
 */
export function toEvidence(written: EvidenceStart, observed: Observed): FindingEvidence {
  const rule = EVIDENCE_RULES[written.flag];
  const start = atSighting(written, observed);
  const reset = lastReset(observed);
  const wasReset = reset !== start.resetMs;
  const startsMs = wasReset ? Math.max(start.startsMs, reset) : start.startsMs;
  const counted = countEligible(observed, rule.counts);
  // A reset is no evidence. The pass notices it soon and starts again from there.
  const requests = wasReset ? 0 : Math.max(0, counted - start.base);
  const usedS = Math.max(0, Math.floor((observed.lastMs - startsMs) / 1000));
  const usedNeeded = usedNeededS(rule, start.widestGapS);
  const conditionMet = isConditionMet(rule.condition, observed, startsMs);
  return {
    starts_at: new Date(startsMs).toISOString(),
    starts_with: wasReset ? 'reset' : start.startsWith,
    counts: rule.counts,
    requests,
    requests_needed: rule.requests,
    used_s: usedS,
    used_s_needed: usedNeeded,
    condition: rule.condition,
    condition_met: conditionMet,
    is_met: requests >= rule.requests && usedS >= usedNeeded && conditionMet,
    no_traffic_since: requests === 0 && usedS === 0 ? new Date(observed.lastMs).toISOString() : null,
  };
}

function atSighting(start: EvidenceStart, observed: Observed): EvidenceStart {
  const seenMs = lastSighting(observed, start.flag);
  if (seenMs <= start.startsMs) return start;
  const base = countEligible(observed, EVIDENCE_RULES[start.flag].counts);
  return { ...start, startsMs: seenMs, startsWith: 'sighting', base, resetMs: lastReset(observed) };
}

function isConditionMet(condition: FindingEvidence['condition'], observed: Observed, startsMs: number): boolean {
  switch (condition) {
    case null:
      return true;
    case 'anonymous_refused':
      return observed.refusedMs > startsMs;
    case 'jwt_seen':
      return (observed.schemes.jwt ?? 0) > startsMs;
  }
}
