import { expect, it } from 'vitest';
import { cleanBackupCode, cleanCode, isComplete, toGiven } from './codes.ts';

it('a code is accepted with the spaces that people type', () => {
  expect(cleanCode(' 123 456 ')).toBe('123456');
  expect(cleanCode('12-34-56-78')).toBe('123456');
  expect(isComplete('otp_code', '12345')).toBe(false);
  expect(isComplete('otp_code', '123456')).toBe(true);
});

it('a backup code keeps its letters and hyphens, which the controller parses', () => {
  expect(cleanBackupCode('  abcde-fghij')).toBe('abcde-fghij');
  expect(isComplete('backup_code', 'abcde-fgh ')).toBe(false);
  expect(isComplete('backup_code', 'abcdefghij')).toBe(true);
});

it('either a code or a backup code is sent, never both', () => {
  expect(toGiven('otp_code', '123456')).toEqual({ otp_code: '123456' });
  expect(toGiven('backup_code', 'abcde-fghij ')).toEqual({ backup_code: 'abcde-fghij' });
});
