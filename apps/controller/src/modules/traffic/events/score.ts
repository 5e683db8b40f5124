import type { TrafficScore, TrafficScorePillar } from '@flotilla/contract';
import type { Condition } from '@flotilla/event-store';
import { hasFlag, hasMark } from './filter.ts';
import type { Question } from './question.ts';
import { derivePillars, type Pillar, type ScoreFacts, type Term } from './score-pillars.ts';

const CONFIRMED = hasMark('confirmed');
const WRITES: Condition = { column: 'method', in: ['POST', 'PUT', 'PATCH', 'DELETE'] };
const CRITICAL_SCORE = 10;
const RISKS = 256;

/** The grade of the requests in the window. Scanners that match no route lower only the pillar about threats. */
export async function readScore(question: Question, now: Date): Promise<TrafficScore> {
  const facts = await readFacts(question);
  const { score, pillars } = grade(derivePillars(facts));
  return {
    ...question.describe({ resolution: 'raw', events: facts.allEvents, requests: facts.allRequests }),
    score,
    grade: score === null ? 'N/A' : gradeOf(score),
    computed_at: now.toISOString(),
    pillars,
    totals: { operations: facts.operations, events: facts.allEvents, requests: facts.allRequests },
  };
}

async function readFacts(question: Question): Promise<ScoreFacts> {
  const countOperations = async (...also: Condition[]) => {
    const { data } = await question.groups({ by: [], also: [CONFIRMED, ...also], distinct: ['operationId'] });
    return data[0]?.distinct.operationId ?? 0;
  };
  const [all, risks, confirmed, writes, anonymousWrites, externalOperations, sensitiveOperations] = await Promise.all([
    question.total({
      threats: [hasFlag('threat_intel_hit')],
      automated: [{ column: 'agentKind', in: ['scanner', 'bot'] }],
    }),
    question.groups({ by: ['risk'], also: [CONFIRMED], limit: RISKS }),
    question.groups({
      by: [],
      also: [CONFIRMED],
      counts: {
        weak: [hasFlag('weak_tls_version', 'plain_text_transport')],
        critical: [{ column: 'risk', min: CRITICAL_SCORE }],
      },
      distinct: ['operationId'],
    }),
    countOperations(WRITES),
    countOperations(WRITES, hasFlag('unauthenticated')),
    countOperations(hasFlag('external_host'), hasMark('anonymous')),
    countOperations(hasFlag('sensitive_path_keyword')),
  ]);
  const [group] = confirmed.data;
  return {
    writes,
    anonymousWrites,
    events: group?.events ?? 0,
    requests: group?.requests ?? 0,
    weakTransport: group?.counts.weak ?? 0,
    criticalRequests: group?.counts.critical ?? 0,
    risk95: quantileOf(risks.data.map(({ values: [risk = '0'], requests }) => ({ risk: Number(risk), requests }))),
    operations: group?.distinct.operationId ?? 0,
    externalOperations,
    sensitiveOperations,
    allEvents: all.events,
    allRequests: all.requests,
    threatHits: all.counts.threats ?? 0,
    scannersAndBots: all.counts.automated ?? 0,
  };
}

/** The risk that 95 % of the requests do not exceed. */
function quantileOf(risks: readonly { readonly risk: number; readonly requests: number }[]): number {
  const total = risks.reduce((sum, { requests }) => sum + requests, 0);
  let seen = 0;
  for (const { risk, requests } of risks.toSorted((a, b) => a.risk - b.risk)) {
    seen += requests;
    if (seen >= 0.95 * total) return risk;
  }
  return 0;
}

/** Pillars without a score leave their weight to the others. */
export function grade(pillars: readonly Pillar[]): { score: number | null; pillars: TrafficScorePillar[] } {
  const scored = pillars.map((pillar) => ({ pillar, score: pillar.missing === null ? scoreOf(pillar.terms) : null }));
  const whole = scored.reduce((sum, { pillar, score }) => sum + (score === null ? 0 : pillar.weight), 0);
  const total = scored.reduce((sum, { pillar, score }) => sum + ((score ?? 0) * pillar.weight) / (whole || 1), 0);
  return {
    score: whole === 0 ? null : Math.round(total),
    pillars: scored.map(({ pillar: { terms, ...pillar }, score }) => {
      const weight = score === null ? 0 : pillar.weight / whole;
      return {
        ...pillar,
        weight,
        score,
        grade: score === null ? null : gradeOf(score),
        raises: score === null ? [] : listRaises(terms, weight),
      };
    }),
  };
}

function scoreOf(terms: readonly Term[]): number {
  const cost = terms.reduce((sum, term) => sum + term.cost, 0);
  return Math.min(100, Math.max(0, 100 - cost));
}

function listRaises(terms: readonly Term[], weight: number): TrafficScorePillar['raises'] {
  const score = scoreOf(terms);
  return terms
    .filter(({ cost }) => cost > 0)
    .map(({ finding, text, count, filter }) => {
      const gain = scoreOf(terms.filter((term) => term.finding !== finding)) - score;
      return { finding, text, count, gain, total_gain: Math.round(gain * weight * 10) / 10, filter: { ...filter } };
    })
    .toSorted((a, b) => b.gain - a.gain);
}

function gradeOf(score: number): 'A' | 'B' | 'C' | 'D' | 'F' {
  if (score >= 90) return 'A';
  if (score >= 80) return 'B';
  if (score >= 70) return 'C';
  return score >= 60 ? 'D' : 'F';
}
