import { describe, expect, it } from 'vitest';
import { deriveActivity, recordActivity } from './activity.ts';
import { mergeDelta } from './merge.ts';
import type { OperationDelta } from './operation-delta.ts';
import { createOperationState, type OperationState } from './operation-state.ts';
import { bandOf, RISK_BANDS, RISK_FLAG_NAMES, RISK_FLAGS, scoreFlags } from './risk-flags.ts';
import { RISK_TEXTS } from './risk-texts.ts';
import { EXPOSURE_TEXTS } from './risk-texts-exposure.ts';
import { THREAT_TEXTS } from './risk-texts-threat.ts';
import { createDelta, NOW_MS } from './testing/deltas.ts';

const DAY_MS = 86_400_000;
const DAYS = 7;

function stateOf(more: Partial<OperationDelta>): OperationState {
  const delta = createDelta({ firstMs: NOW_MS - 30 * DAY_MS, lastMs: NOW_MS, ...more });
  return mergeDelta(createOperationState(delta.key), delta, NOW_MS);
}

const ago = (days: number) => NOW_MS - days * DAY_MS;

describe('what is active of an operation', () => {
  it('is what was seen within the window, with the score of those flags', () => {
    const state = stateOf({
      flags: { brute_force_suspect: ago(8), scanner_user_agent: ago(6), missing_hsts: ago(7) },
      threatMax: 11,
      exposureMax: 7,
    });
    const { flags, scores, untilMs } = deriveActivity(state, NOW_MS, DAYS);
    expect(Object.keys(flags).toSorted()).toEqual(['missing_hsts', 'scanner_user_agent']);
    expect(scores).toEqual({ threat: 7, exposure: 7 });
    expect(untilMs).toBe(NOW_MS);
    expect(deriveActivity(state, NOW_MS + 1, DAYS).scores).toEqual({ threat: 7, exposure: 0 });
  });

  it('is nothing without traffic for as long as the window', () => {
    const state = stateOf({ flags: { brute_force_suspect: ago(0) }, threatMax: 10, authenticatedMs: ago(0) });
    expect(deriveActivity(state, NOW_MS + 8 * DAY_MS, DAYS)).toMatchObject({
      flags: {},
      scores: { threat: 0, exposure: 0 },
      posture: 'unknown',
      untilMs: 0,
    });
  });

  it('never scores more than the worst event, whatever the events had together', () => {
    const state = stateOf({ flags: { brute_force_suspect: ago(1), bola_suspect: ago(2) }, threatMax: 10 });
    expect(scoreFlags(['brute_force_suspect', 'bola_suspect']).threat).toBe(11);
    expect(deriveActivity(state, NOW_MS, DAYS).scores.threat).toBe(10);
  });

  it.each([
    [{ authenticatedMs: ago(1) }, 'authenticated'],
    [{ anonymousMs: ago(1) }, 'anonymous'],
    [{ authenticatedMs: ago(1), anonymousMs: ago(1) }, 'mixed'],
    [{ authenticatedMs: ago(1), anonymousMs: ago(2), refusedMs: ago(3) }, 'inconsistent'],
    [{ authenticatedMs: ago(1), anonymousMs: ago(8), refusedMs: ago(1) }, 'authenticated'],
    [{ refusedMs: ago(1) }, 'unknown'],
  ] as const)('has the authentication of its evidence: %o is %s', (evidence, posture) => {
    expect(deriveActivity(stateOf(evidence), NOW_MS, DAYS).posture).toBe(posture);
  });

  it('has the flag of inconsistent authentication, which adds to the score', () => {
    const state = stateOf({ authenticatedMs: ago(1), anonymousMs: ago(2), refusedMs: ago(3) });
    const activity = deriveActivity(state, NOW_MS, DAYS);
    expect(activity.flags).toEqual({ auth_inconsistent: ago(1) });
    expect(activity.scores.threat).toBe(7);
    const recorded = recordActivity(state, activity);
    expect(recorded).toMatchObject({ threatMax: 7, flags: { auth_inconsistent: ago(1) } });
    // The recorded flag is evidence of nothing: it expires with what it followed from.
    expect(deriveActivity(recorded, ago(-5), DAYS).flags).toEqual({});
  });

  it('has the flag of mixed schemes for two schemes that are no cookies', () => {
    const active = (schemes: OperationDelta['schemes']) => deriveActivity(stateOf({ schemes }), NOW_MS, DAYS).flags;
    expect(active({ jwt: ago(1), apikey: ago(2) })).toHaveProperty('mixed_auth_schemes');
    expect(active({ jwt: ago(1), cookie: ago(2), none: ago(1) })).toEqual({});
    expect(active({ jwt: ago(1), apikey: ago(9) })).toEqual({});
  });

  it('has the flag of reflected origins for three foreign ones', () => {
    const active = (origins: number) =>
      deriveActivity(
        stateOf({
          reflectedOrigins: Object.fromEntries(
            Array.from({ length: origins }, (_, i) => [`https://${i}.example`, ago(1)]),
          ),
        }),
        NOW_MS,
        DAYS,
      ).flags;
    expect(active(2)).toEqual({});
    expect(active(3)).toEqual({ cors_origin_reflection: ago(1) });
  });

  it('begins at a reset of the scores', () => {
    const state = { ...stateOf({ flags: { missing_hsts: ago(2) }, exposureMax: 7 }), scoresResetMs: ago(1) };
    expect(deriveActivity(state, NOW_MS, DAYS)).toMatchObject({ flags: {}, scores: { exposure: 0 } });
  });
});

describe('the catalogue of flags', () => {
  it('has texts for every flag, on its axis', () => {
    expect(Object.keys(RISK_TEXTS).toSorted()).toEqual([...RISK_FLAG_NAMES].toSorted());
    for (const flag of RISK_FLAG_NAMES) {
      expect(Object.hasOwn(RISK_FLAGS[flag].axis === 'threat' ? THREAT_TEXTS : EXPOSURE_TEXTS, flag), flag).toBe(true);
      // Something that can be fixed has steps.
      expect(RISK_TEXTS[flag].steps.length > 0, flag).toBe(RISK_FLAGS[flag].severity !== 'info');
    }
  });

  it('has no bit twice', () => {
    expect(new Set(RISK_FLAG_NAMES.map((flag) => RISK_FLAGS[flag].bit)).size).toBe(RISK_FLAG_NAMES.length);
  });

  it('reaches every band', () => {
    const reached = new Set(
      [[], ['version_disclosure'], ['bola_suspect'], ['brute_force_suspect']].map((flags) =>
        bandOf(Math.max(...Object.values(scoreFlags(flags as never)))),
      ),
    );
    reached.add(bandOf(scoreFlags(['brute_force_suspect', 'threat_intel_hit', 'bfla_suspect']).threat));
    expect([...reached].toSorted()).toEqual(RISK_BANDS.map(({ band }) => band).toSorted());
  });
});
