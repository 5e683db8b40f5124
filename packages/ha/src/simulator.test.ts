import { describe, expect, it } from 'vitest';
import { RULES, type Rules } from './rules.ts';
import { Simulator } from './testing/simulator.ts';
import { OVERLAP_MAX_MS, RECOVERY_MAX_MS } from './testing/timing.ts';

const SCHEDULES = 1000;
const VARIANTS = [{}, { preempts: true }, { isFencing: false }, { isFencing: false, preempts: true }];

const run = (seed: number, rules?: Rules) =>
  new Simulator({ seed, ...VARIANTS[seed % VARIANTS.length], ...(rules && { rules }) }).run();

describe('a pair under 1,000 adversarial schedules', () => {
  it(`has two holders for ${OVERLAP_MAX_MS} ms at most, and one within ${RECOVERY_MAX_MS} ms after the last fault`, () => {
    let takeovers = 0;
    for (let seed = 1; seed <= SCHEDULES; seed += 1) {
      const verdict = run(seed);
      takeovers += verdict.takeovers;
      expect(verdict.violations, `seed ${seed}\n${verdict.trace.join('\n')}`).toEqual([]);
    }
    expect(takeovers).toBeGreaterThan(SCHEDULES);
  });

  it('is the same run for the same seed', () => {
    expect(run(7)).toEqual(run(7));
  });
});

/** Each breaks one rule. */
const MUTANTS: Readonly<Record<string, Partial<Rules>>> = {
  'an active member never yields': { yieldsTo: () => false },
  'a member expects the peer to yield that does not hear it': {
    yieldsTo: (view, beat) => RULES.yieldsTo(view, { ...beat, hearsPeer: true }),
  },
  'a member that is cut off keeps the addresses': { isConnected: () => true },
  'a member that slept goes on as before': { sleptTooLong: () => false },
  'a member never finds its peer silent': { isPeerSilent: () => false },
  'a member takes over from an active peer': {
    findReason: (view) => (view.config.slot === 1 ? 'elected' : RULES.findReason(view)),
  },
  'a member does not wait until the peer has given the addresses up': {
    findReason: (view) => (RULES.isOffered(view) ? 'handover' : RULES.findReason(view)),
  },
  'a member waits for its peer for ever': {
    findReason: (view) => (view.state.silentSince < view.now - 300 ? undefined : RULES.findReason(view)),
  },
  'a term has the number of an earlier one': { nextEpoch: ({ state }) => Math.max(1, state.epoch) },
  'the addresses do not wait for the disk': { persistsFirst: false },
};

describe('the schedules find a broken rule', () => {
  it.each(Object.entries(MUTANTS))('%s', (_, mutation) => {
    const rules = { ...RULES, ...mutation };
    const found = Array.from({ length: SCHEDULES }, (_, i) => i + 1).find(
      (seed) => run(seed, rules).violations.length > 0,
    );
    expect(found).toBeDefined();
  });
});
