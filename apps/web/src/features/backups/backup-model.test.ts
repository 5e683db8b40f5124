import { describe, expect, it } from 'vitest';
import { canOpen, countWrites, readFingerprint, toCron, toOpening } from './backup-model.ts';

const SIGNER = 'ab'.repeat(32);
const NOTHING = { passphrase: '', trust_key: '' };
const content = {
  kind: 'project' as const,
  app_version: '1.0.0',
  made_at: '2026-01-01T00:00:00.000Z',
  project: null,
  signer: SIGNER,
  own: true,
};

describe('the time of a schedule', () => {
  it('is converted to a cron expression of the job scheduler', () => {
    expect(toCron('daily', '03:30')).toBe('30 3 * * *');
    expect(toCron('weekly', '23:05')).toBe('5 23 * * 0');
    expect(toCron('monthly', '00:00')).toBe('0 0 1 * *');
  });

  it('is undefined if the text is no time of day', () => {
    for (const time of ['', '24:00', '3:30', '03:60', '03:30:00', '* *'])
      expect(toCron('daily', time), time).toBeUndefined();
  });
});

describe('the input needed to open a backup', () => {
  it('is empty for a backup of this installation that is encrypted for it or has no secrets', () => {
    expect(canOpen({ protection: 'installation', content }, NOTHING)).toBe(true);
    expect(canOpen({ protection: 'none', content }, NOTHING)).toBe(true);
  });

  it('is the passphrase of a backup that was created with one, and it is sent for no other backup', () => {
    expect(canOpen({ protection: 'passphrase', content }, { ...NOTHING, passphrase: 'too short' })).toBe(false);
    const given = { ...NOTHING, passphrase: 'long enough for it' };
    expect(canOpen({ protection: 'passphrase', content }, given)).toBe(true);
    expect(toOpening({ id: 'b', protection: 'passphrase', content }, given)).toEqual({
      backup: 'b',
      passphrase: 'long enough for it',
    });
    expect(toOpening({ id: 'b', protection: 'none', content }, given)).toEqual({ backup: 'b' });
  });

  it('is the fingerprint of the signer if another installation signed the backup', () => {
    const foreign = { protection: 'none' as const, content: { ...content, own: false } };
    expect(canOpen(foreign, NOTHING)).toBe(false);
    expect(canOpen(foreign, { ...NOTHING, trust_key: 'cd'.repeat(32) })).toBe(false);
    expect(canOpen(foreign, { ...NOTHING, trust_key: SIGNER.slice(0, 63) })).toBe(false);
    const typed = { ...NOTHING, trust_key: ` ${SIGNER.toUpperCase().replaceAll(/(..)(?=.)/g, '$1:')} ` };
    expect(canOpen(foreign, typed)).toBe(true);
    expect(toOpening({ id: 'b', ...foreign }, typed)).toEqual({ backup: 'b', trust_key: SIGNER });
  });

  it('cannot be given for a backup of a whole installation', () => {
    expect(canOpen({ protection: 'none', content: { ...content, kind: 'installation' } }, NOTHING)).toBe(false);
    expect(canOpen({ protection: 'none', content: null }, NOTHING)).toBe(false);
  });
});

it('a fingerprint is accepted with the spaces, colons and capitals that people copy', () => {
  expect(readFingerprint(' AB:cd\n12 ')).toBe('abcd12');
});

it('created and changed records count as written', () => {
  const counts = { refused: 16, created: 1, changed: 2, skipped: 4, unchanged: 8 };
  expect(countWrites({ counts })).toBe(3);
});
