import type { TRAFFIC_SCORE_FINDINGS, TrafficPillar } from '@flotilla/contract';

type Finding = (typeof TRAFFIC_SCORE_FINDINGS)[number];

/** The numbers behind the score. Requests are confirmed ones unless the name says otherwise. */
export interface ScoreFacts {
  /** Operations that change something, and those of them that accepted anonymous requests. */
  readonly writes: number;
  readonly anonymousWrites: number;
  readonly events: number;
  readonly requests: number;
  readonly weakTransport: number;
  readonly criticalRequests: number;
  readonly risk95: number;
  readonly operations: number;
  readonly externalOperations: number;
  readonly sensitiveOperations: number;
  /** Also of requests that matched no route. */
  readonly allEvents: number;
  readonly allRequests: number;
  readonly threatHits: number;
  readonly scannersAndBots: number;
}

export interface Term {
  readonly finding: Finding;
  readonly text: string;
  readonly count: number;
  /** Points that it costs. */
  readonly cost: number;
  readonly filter: Readonly<Record<string, string[]>>;
}

export interface Pillar {
  readonly key: TrafficPillar;
  readonly label: string;
  readonly weight: number;
  readonly summary: string;
  /** Why there is no score; null: there is one. */
  readonly missing: string | null;
  readonly terms: readonly Term[];
}

/** A pillar with fewer is left out: a few events say nothing. */
const WRITES_MIN = 5;
const OPERATIONS_MIN = 5;
const EVENTS_MIN = 50;
const CONFIRMED = { confirmed: ['true'] };

const format = (count: number) => Math.round(count).toLocaleString('en');
const shareOf = (count: number, of: number) => (of === 0 ? 0 : count / of);
const needs = (found: number, min: number, things: string) =>
  found < min ? `Needs ${min} ${things}; ${found} were seen.` : null;

/** The five pillars: a pillar has 100 points without what its terms cost, which are whole points. */
export function derivePillars(facts: ScoreFacts): readonly Pillar[] {
  return [
    deriveAuthCoverage(facts),
    deriveTransport(facts),
    deriveRiskExposure(facts),
    deriveAttackSurface(facts),
    deriveThreatActivity(facts),
  ];
}

function deriveAuthCoverage({ writes, anonymousWrites }: ScoreFacts): Pillar {
  return {
    key: 'auth_coverage',
    label: 'Authentication',
    weight: 0.3,
    summary: `${format(anonymousWrites)} of ${format(writes)} operations that change something accept anonymous requests.`,
    missing: needs(writes, WRITES_MIN, 'operations that change something'),
    terms: [
      {
        finding: 'anonymous_writes',
        text: 'Require credentials for these operations.',
        count: anonymousWrites,
        cost: Math.trunc(100 * shareOf(anonymousWrites, writes)),
        filter: { ...CONFIRMED, risk_flag: ['unauthenticated'] },
      },
    ],
  };
}

function deriveTransport({ events, requests, weakTransport }: ScoreFacts): Pillar {
  return {
    key: 'transport_security',
    label: 'Transport',
    weight: 0.25,
    summary: `${format(weakTransport)} of ${format(requests)} requests came to a public host without TLS, or with a version before 1.2.`,
    missing: needs(events, EVENTS_MIN, 'requests'),
    terms: [
      {
        finding: 'weak_transport',
        text: 'Require TLS 1.2 or later on these listeners.',
        count: weakTransport,
        cost: Math.trunc(100 * shareOf(weakTransport, requests)),
        filter: { ...CONFIRMED, risk_flag: ['weak_tls_version', 'plain_text_transport'] },
      },
    ],
  };
}

function deriveRiskExposure({ events, requests, risk95, criticalRequests }: ScoreFacts): Pillar {
  return {
    key: 'risk_exposure',
    label: 'Risk of requests',
    weight: 0.2,
    summary: `95% of the requests have a threat score of at most ${risk95}; ${format(criticalRequests)} of ${format(requests)} have 10 or more, as one critical threat gives.`,
    missing: needs(events, EVENTS_MIN, 'requests'),
    terms: [
      {
        finding: 'high_risk_requests',
        text: 'Fix what the risk flags of the requests with the highest scores say.',
        count: risk95,
        cost: Math.trunc(1.5 * risk95),
        filter: { ...CONFIRMED, min_risk_score: [String(Math.max(1, risk95))] },
      },
      {
        finding: 'critical_requests',
        text: 'Block or fix what causes threat scores of 10 and more.',
        count: criticalRequests,
        cost: Math.trunc(50 * shareOf(criticalRequests, requests)),
        filter: { ...CONFIRMED, min_risk_score: ['10'] },
      },
    ],
  };
}

function deriveAttackSurface({ operations, externalOperations, sensitiveOperations }: ScoreFacts): Pillar {
  return {
    key: 'attack_surface',
    label: 'Attack surface',
    weight: 0.15,
    summary: `${format(externalOperations)} of ${format(operations)} operations answer anonymous requests on public hosts; ${format(sensitiveOperations)} have sensitive paths.`,
    missing: needs(operations, OPERATIONS_MIN, 'operations'),
    terms: [
      {
        finding: 'external_operations',
        text: 'Require credentials on public hosts, or move these operations to internal ones.',
        count: externalOperations,
        cost: Math.trunc(50 * shareOf(externalOperations, operations)),
        filter: { ...CONFIRMED, risk_flag: ['external_host'], authenticated: ['false'] },
      },
      {
        finding: 'sensitive_operations',
        text: 'Do not expose paths such as admin, debug and metrics.',
        count: sensitiveOperations,
        cost: Math.trunc(100 * shareOf(sensitiveOperations, operations)),
        filter: { ...CONFIRMED, risk_flag: ['sensitive_path_keyword'] },
      },
    ],
  };
}

function deriveThreatActivity({ allEvents, allRequests, threatHits, scannersAndBots }: ScoreFacts): Pillar {
  return {
    key: 'threat_activity',
    label: 'Threats',
    weight: 0.1,
    summary: `${format(threatHits)} of ${format(allRequests)} requests came from addresses in threat feeds, ${format(scannersAndBots)} from scanners and bots.`,
    missing: needs(allEvents, EVENTS_MIN, 'requests'),
    terms: [
      {
        finding: 'threat_intel_hits',
        text: 'Block the addresses of the threat feeds at the proxies.',
        count: threatHits,
        cost: Math.trunc(500 * shareOf(threatHits, allRequests)),
        filter: { risk_flag: ['threat_intel_hit'] },
      },
      {
        finding: 'scanners_and_bots',
        text: 'Block or limit scanners and bots.',
        count: scannersAndBots,
        cost: Math.trunc(100 * shareOf(scannersAndBots, allRequests)),
        filter: { agent_kind: ['scanner', 'bot'] },
      },
    ],
  };
}
