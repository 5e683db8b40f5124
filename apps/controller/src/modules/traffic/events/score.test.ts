import { describe, expect, it } from 'vitest';
import { grade } from './score.ts';
import { derivePillars, type ScoreFacts } from './score-pillars.ts';

const FINE: ScoreFacts = {
  writes: 10,
  anonymousWrites: 0,
  events: 1000,
  requests: 1000,
  weakTransport: 0,
  criticalRequests: 0,
  risk95: 0,
  operations: 20,
  externalOperations: 0,
  sensitiveOperations: 0,
  allEvents: 1000,
  allRequests: 1000,
  threatHits: 0,
  scannersAndBots: 0,
};
const gradeOf = (changes: Partial<ScoreFacts> = {}) => grade(derivePillars({ ...FINE, ...changes }));

describe('the security score', () => {
  it('is 100 without findings, with weights that add up to one', () => {
    const { score, pillars } = gradeOf();
    expect(score).toBe(100);
    expect(pillars.map((pillar) => [pillar.score, pillar.grade])).toEqual(Array(5).fill([100, 'A']));
    expect(pillars.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1);
  });

  it.each([
    [{ anonymousWrites: 5 }, 'auth_coverage', 50],
    [{ weakTransport: 333 }, 'transport_security', 67],
    [{ risk95: 11, criticalRequests: 500 }, 'risk_exposure', 59],
    [{ externalOperations: 10, sensitiveOperations: 2 }, 'attack_surface', 65],
    [{ threatHits: 1000 }, 'threat_activity', 0],
    [{ scannersAndBots: 255 }, 'threat_activity', 75],
  ] as const)('with %o has the pillar %s at %i', (changes, key, expected) => {
    const { pillars } = gradeOf(changes);
    expect(pillars.find((pillar) => pillar.key === key)?.score).toBe(expected);
    expect(pillars.filter((pillar) => pillar.score !== 100)).toHaveLength(1);
  });

  it('leaves out pillars that saw too little, and is unknown without any', () => {
    const few = gradeOf({ writes: 4, anonymousWrites: 4 });
    expect(few.score).toBe(100);
    expect(few.pillars[0]).toMatchObject({
      score: null,
      weight: 0,
      missing: 'Needs 5 operations that change something; 4 were seen.',
    });
    expect(few.pillars[1]?.weight).toBeCloseTo(0.25 / 0.7);
    expect(
      gradeOf({ writes: 0, events: 49, requests: 49, operations: 4, allEvents: 49, allRequests: 49 }).score,
    ).toBeNull();
  });

  it('names what would raise it, with the points that this gains', () => {
    const { pillars } = gradeOf({ externalOperations: 10, sensitiveOperations: 2 });
    const raises = pillars.find(({ key }) => key === 'attack_surface')?.raises;
    expect(raises?.map(({ finding, gain, total_gain }) => [finding, gain, total_gain])).toEqual([
      ['external_operations', 25, 3.8],
      ['sensitive_operations', 10, 1.5],
    ]);
  });

  it('gains nothing from one of two findings that each cost everything', () => {
    const { pillars } = gradeOf({ threatHits: 1000, scannersAndBots: 1000 });
    expect(pillars.at(-1)?.raises.map(({ gain }) => gain)).toEqual([0, 0]);
  });
});
