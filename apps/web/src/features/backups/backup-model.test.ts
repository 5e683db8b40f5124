import { describe, expect, it } from 'vitest';
import { canOpen, countWrites, readFingerprint, toCron, toOpening } from './backup-model.ts';

const SIGNER = 'ab'.repeat(32);
const NOTHING = { passphrase: '', trust: '' };
const content = {
  kind: 'project' as const,
  app_version: '1.0.0',
  made_at: '2026-01-01T00:00:00.000Z',
  project: null,
  signer: SIGNER,
  own: true,
};

describe('the time of a schedule', () => {
  it('is written as the clock of the jobs reads it', () => {
    expect(toCron('daily', '03:30')).toBe('30 3 * * *');
    expect(toCron('weekly', '23:05')).toBe('5 23 * * 0');
    expect(toCron('monthly', '00:00')).toBe('0 0 1 * *');
  });

  it('is none where it is no time of day', () => {
    for (const time of ['', '24:00', '3:30', '03:60', '03:30:00', '* *'])
      expect(toCron('daily', time), time).toBeUndefined();
  });
});

describe('what it takes to open a backup', () => {
  it('is nothing for one of this installation that is sealed or without secrets', () => {
    expect(canOpen({ protection: 'installation', content }, NOTHING)).toBe(true);
    expect(canOpen({ protection: 'none', content }, NOTHING)).toBe(true);
  });

  it('is the pass phrase that it was made with, which is sent for no other', () => {
    expect(canOpen({ protection: 'passphrase', content }, { ...NOTHING, passphrase: 'too short' })).toBe(false);
    const given = { ...NOTHING, passphrase: 'long enough for it' };
    expect(canOpen({ protection: 'passphrase', content }, given)).toBe(true);
    expect(toOpening({ id: 'b', protection: 'passphrase', content }, given)).toEqual({
      backup: 'b',
      passphrase: 'long enough for it',
    });
    expect(toOpening({ id: 'b', protection: 'none', content }, given)).toEqual({ backup: 'b' });
  });

  it('is the fingerprint of its signer where that is another installation: no other one, none by itself', () => {
    const foreign = { protection: 'none' as const, content: { ...content, own: false } };
    expect(canOpen(foreign, NOTHING)).toBe(false);
    expect(canOpen(foreign, { ...NOTHING, trust: 'cd'.repeat(32) })).toBe(false);
    expect(canOpen(foreign, { ...NOTHING, trust: SIGNER.slice(0, 63) })).toBe(false);
    const typed = { ...NOTHING, trust: ` ${SIGNER.toUpperCase().replaceAll(/(..)(?=.)/g, '$1:')} ` };
    expect(canOpen(foreign, typed)).toBe(true);
    expect(toOpening({ id: 'b', ...foreign }, typed)).toEqual({ backup: 'b', trust_key: SIGNER });
  });

  it('is not to be had for a backup of a whole installation', () => {
    expect(canOpen({ protection: 'none', content: { ...content, kind: 'installation' } }, NOTHING)).toBe(false);
    expect(canOpen({ protection: 'none', content: null }, NOTHING)).toBe(false);
  });
});

it('a fingerprint is read as people copy it', () => {
  expect(readFingerprint(' AB:cd\n12 ')).toBe('abcd12');
});

it('counts what is created and changed as written', () => {
  const counts = { refused: 16, created: 1, changed: 2, skipped: 4, unchanged: 8 };
  expect(countWrites({ counts })).toBe(3);
});
