import { RISK_FLAG_NAMES, RISK_FLAGS, type RiskFlag, scoreFlags, toFlagBits } from '@flotilla/inventory';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FlagSet } from './flag-set.ts';

const toBits = ({ low, high }: { low: number; high: number }) => BigInt(low) | (BigInt(high) << 32n);

it('has the flags that were added, their scores and their bits', () => {
  const set = new FlagSet();
  fc.assert(
    fc.property(fc.subarray([...RISK_FLAG_NAMES]), (flags) => {
      set.clear();
      for (const flag of flags) set.add(flag);
      const combination = set.combine();
      expect(new Set(combination.flags)).toEqual(new Set(flags));
      expect(combination).toMatchObject(scoreFlags(flags));
      expect(toBits(combination.bits)).toBe(toFlagBits(flags).reduce((bits, bit) => bits | (1n << BigInt(bit)), 0n));
      for (const flag of RISK_FLAG_NAMES) expect(set.has(flag)).toBe(flags.includes(flag));
    }),
  );
});

it('gives requests with the same flags one combination', () => {
  const set = new FlagSet();
  const combine = (...flags: RiskFlag[]) => {
    set.clear();
    for (const flag of flags) set.add(flag);
    return set.combine();
  };
  expect(combine('weak_tls_version', 'error_status')).toBe(combine('error_status', 'weak_tls_version'));
  expect(combine()).not.toBe(combine('error_status'));
  expect(combine('error_status').isHarmless).toBe(true);
  expect(combine('bola_suspect').isHarmless).toBe(false);
  expect(combine('latency_anomaly').isHarmless).toBe(false);
});

it('has a bit for each flag that a number holds exactly', () => {
  for (const { bit } of Object.values(RISK_FLAGS)) expect(bit).toBeLessThan(53);
});
