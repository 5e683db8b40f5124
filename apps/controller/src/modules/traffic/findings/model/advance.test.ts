import { RISK_FLAG_NAMES, RISK_FLAGS } from '@flotilla/inventory';
import { describe, expect, it } from 'vitest';
import { advance, moveTo, open, type Standing } from './advance.ts';
import { toEvidence } from './evidence.ts';
import { EVIDENCE_RULES, FINDING_FLAGS } from './rules.ts';
import type { Observed } from './sighting.ts';

const DAY_MS = 86_400_000;
const T0 = Date.UTC(2026, 0, 15);

const seen = (more: Partial<Observed> = {}): Observed => ({
  lastMs: T0,
  seen: 100,
  blocked: 0,
  statuses: { 200: 100 },
  flags: { missing_hsts: T0 },
  schemes: {},
  refusedMs: 0,
  resetMs: 0,
  scoresResetMs: 0,
  ...more,
});

const fresh = (more: Partial<Standing> = {}): Standing => ({ ...open('missing_hsts', seen(), T0), ...more });
const later = (days: number, more: Partial<Observed> = {}) =>
  seen({ lastMs: T0 + days * DAY_MS, seen: 200, statuses: { 200: 200 }, ...more });
const stateAfter = (standing: Standing, observed: Observed, nowMs = observed.lastMs) =>
  advance(standing, observed, nowMs)?.next.state ?? standing.state;

describe('a finding is fixed', () => {
  it('by enough requests without the flag over enough time', () => {
    expect(advance(fresh(), later(1), T0 + DAY_MS)).toMatchObject({
      next: { state: 'fixed', stateSinceMs: T0 + DAY_MS },
      note: 'The operation had 100 requests without the flag.',
    });
  });

  it.each(['new', 'came_back', 'acknowledged', 'fix_claimed', 'accepted'] as const)('from the state %s', (state) => {
    expect(stateAfter(fresh({ state }), later(1))).toBe('fixed');
  });

  it('neither by few requests, nor by many within a short time', () => {
    expect(stateAfter(fresh(), later(1, { statuses: { 200: 149 } }))).toBe('new');
    expect(stateAfter(fresh(), later(1, { statuses: { 200: 150 } }))).toBe('fixed');
    expect(stateAfter(fresh(), later(0.99, { statuses: { 200: 100_000 } }))).toBe('new');
  });

  it('not while the flag is seen all the time, although few sightings are written', () => {
    const minutes = (count: number) => T0 + count * 60_000;
    const observed = seen({ lastMs: minutes(8), statuses: { 200: 400 }, flags: { missing_hsts: minutes(8) } });
    expect(advance(fresh(), observed, minutes(8))).toBeUndefined();
    expect(toEvidence(fresh(), observed)).toMatchObject({ requests: 0, used_s: 0, starts_with: 'sighting' });
  });

  it('never without traffic, however far the clock jumps', () => {
    expect(advance(fresh(), seen(), T0 + 10_000 * DAY_MS)).toBeUndefined();
    expect(toEvidence(fresh(), seen())).toMatchObject({
      is_met: false,
      requests: 0,
      no_traffic_since: new Date(T0).toISOString(),
    });
  });

  it('not by requests that could not have shown the flag', () => {
    expect(stateAfter(fresh(), later(1, { statuses: { 200: 100, 404: 10_000 } }))).toBe('new');
    const errors = open('error_status', seen({ flags: { error_status: T0 } }), T0);
    const blocked = later(1, { flags: { error_status: T0 }, seen: 10_000, blocked: 9_900, statuses: { 403: 9_900 } });
    expect(stateAfter(errors, blocked)).toBe('new');
    expect(stateAfter(errors, { ...blocked, blocked: 9_800 })).toBe('fixed');
  });

  it.each(['unauthenticated', 'bfla_suspect', 'auth_inconsistent'] as const)(
    'for %s only if a request without credentials was refused',
    (flag) => {
      const standing = open(flag, seen({ flags: { [flag]: T0 } }), T0);
      const quiet = later(8, { flags: { [flag]: T0 } });
      expect(stateAfter(standing, quiet)).toBe('new');
      expect(stateAfter(standing, { ...quiet, refusedMs: T0 })).toBe('new');
      expect(stateAfter(standing, { ...quiet, refusedMs: T0 + 1 })).toBe('fixed');
    },
  );

  it('for a long token lifetime only by a token', () => {
    const standing = open('weak_token_ttl', seen({ flags: { weak_token_ttl: T0 } }), T0);
    const quiet = later(2, { flags: { weak_token_ttl: T0 } });
    expect(stateAfter(standing, quiet)).toBe('new');
    expect(stateAfter(standing, { ...quiet, schemes: { jwt: T0 + 1 } })).toBe('fixed');
  });

  it('after seven days if the flag is about an attacker, who may pause', () => {
    const standing = open('brute_force_suspect', seen({ flags: { brute_force_suspect: T0 } }), T0);
    const flags = { brute_force_suspect: T0 };
    expect(stateAfter(standing, later(6.9, { flags }))).toBe('new');
    expect(stateAfter(standing, later(7, { flags }))).toBe('fixed');
  });
});

describe('a sighting', () => {
  const again = (atMs: number) => later(5, { flags: { missing_hsts: atMs } });

  it.each(['fixed', 'operation_gone'] as const)('brings back a finding in the state %s', (state) => {
    const change = advance(fresh({ state }), again(T0 + 1), T0 + DAY_MS);
    expect(change?.next).toMatchObject({ state: 'came_back', sightings: 2, lastSeenMs: T0 + 1, base: 200 });
  });

  it('refutes a claim only if it is later than the claim', () => {
    const claimed = fresh({ state: 'fix_claimed', stateSinceMs: T0 + DAY_MS });
    expect(stateAfter(claimed, again(T0 + DAY_MS))).toBe('fix_claimed');
    expect(stateAfter(claimed, again(T0 + DAY_MS + 1))).toBe('came_back');
  });

  it.each(['new', 'acknowledged', 'accepted', 'came_back'] as const)('does not change the state %s', (state) => {
    expect(advance(fresh({ state }), again(T0 + DAY_MS), T0 + 2 * DAY_MS)?.next).toMatchObject({ state, sightings: 2 });
  });

  it('starts the evidence again', () => {
    const sighted = advance(fresh(), again(T0 + 4 * DAY_MS), T0 + 5 * DAY_MS)?.next;
    expect(sighted).toMatchObject({ startsMs: T0 + 4 * DAY_MS, base: 200, state: 'new' });
  });

  it('is written every ten minutes while the flag is seen all the time, and the last one in any case', () => {
    const soon = seen({ flags: { missing_hsts: T0 + 60_000 }, lastMs: T0 + 60_000 });
    expect(advance(fresh(), soon, T0 + 61_000)).toBeUndefined();
    expect(advance(fresh(), soon, T0 + 60_000 + 600_000)?.next.lastSeenMs).toBe(T0 + 60_000);
  });

  it('of the past changes nothing', () => {
    expect(advance(fresh({ state: 'fixed' }), seen({ flags: { missing_hsts: T0 - 1 } }), T0)).toBeUndefined();
  });
});

it('a flapping flag has to be away for twice its longest pause', () => {
  let standing = fresh();
  const flag = (atMs: number) => ({ missing_hsts: atMs });
  standing = advance(standing, later(5, { flags: flag(T0 + 5 * DAY_MS) }), T0 + 5 * DAY_MS)?.next ?? standing;
  const after = (days: number) => later(5 + days, { flags: flag(T0 + 5 * DAY_MS), statuses: { 200: 900 }, seen: 900 });
  expect(stateAfter(standing, after(9.9))).toBe('new');
  expect(stateAfter(standing, after(10))).toBe('fixed');
  const wide = { ...standing, widestGapS: 400 * 86_400 };
  expect(stateAfter(wide, after(30))).toBe('fixed');
});

describe('a reset of the operation', () => {
  const reset = seen({ seen: 0, statuses: {}, flags: {}, resetMs: T0 + DAY_MS, scoresResetMs: T0 + DAY_MS });

  it('is no evidence: the requests after it count, from zero', () => {
    const standing = advance(fresh(), reset, T0 + DAY_MS)?.next;
    expect(standing).toMatchObject({ state: 'new', startsMs: T0 + DAY_MS, startsWith: 'reset', base: 0 });
    const used = { ...reset, lastMs: T0 + 1.5 * DAY_MS, seen: 5000, statuses: { 200: 5000 } };
    expect(standing && stateAfter(standing, used)).toBe('new');
    expect(standing && stateAfter(standing, { ...used, lastMs: T0 + 2 * DAY_MS })).toBe('fixed');
  });

  it('shows no evidence before the pass has seen it', () => {
    expect(toEvidence(fresh(), { ...reset, seen: 999, statuses: { 200: 999 }, lastMs: T0 + 9 * DAY_MS })).toMatchObject(
      {
        requests: 0,
        starts_with: 'reset',
        is_met: false,
      },
    );
  });

  it('of the scores alone starts the evidence again, too', () => {
    const scores = later(3, { flags: {}, scoresResetMs: T0 + 2 * DAY_MS });
    expect(advance(fresh(), scores, T0 + 3 * DAY_MS)?.next).toMatchObject({ startsMs: T0 + 2 * DAY_MS, base: 200 });
  });

  it('by a deletion is noticed by the smaller counter', () => {
    const again = later(3, { seen: 10, statuses: { 200: 10 } });
    const standing = advance(fresh(), again, T0 + 3 * DAY_MS)?.next;
    expect(standing).toMatchObject({ base: 10, startsWith: 'reset', state: 'new' });
    expect(standing && advance(standing, again, T0 + 3 * DAY_MS)).toBeUndefined();
  });
});

it('what the target of a merge had before is no evidence', () => {
  const moved = moveTo(fresh(), later(9, { flags: {} }), T0 + 9 * DAY_MS);
  expect(toEvidence(moved, later(9, { flags: {} }))).toMatchObject({
    requests: 0,
    starts_with: 'merge',
    is_met: false,
  });
});

it('a repeated pass changes nothing more', () => {
  for (const observed of [later(2), seen({ flags: { missing_hsts: T0 + 700_000 }, lastMs: T0 + 700_000 })]) {
    const once = advance(fresh(), observed, T0 + 2 * DAY_MS)?.next;
    expect(once && advance(once, observed, T0 + 2 * DAY_MS)).toBeUndefined();
  }
});

it('a clock that was set back closes nothing and brings nothing back', () => {
  expect(advance(fresh(), later(1, { lastMs: T0 - DAY_MS }), T0 - DAY_MS)).toBeUndefined();
  expect(advance(fresh({ state: 'fixed', stateSinceMs: T0 + DAY_MS }), later(1), T0 - DAY_MS)).toBeUndefined();
});

it('every flag but the informational ones makes findings and has a rule', () => {
  const informational = RISK_FLAG_NAMES.filter((flag) => RISK_FLAGS[flag].severity === 'info');
  expect([...FINDING_FLAGS, ...informational].toSorted()).toEqual([...RISK_FLAG_NAMES].toSorted());
  for (const flag of FINDING_FLAGS) {
    expect(EVIDENCE_RULES[flag].requests).toBeGreaterThan(0);
    expect(EVIDENCE_RULES[flag].usedS).toBeGreaterThanOrEqual(86_400);
  }
});
