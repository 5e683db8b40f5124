import { describe, expect, it } from 'vitest';
import { judgePassword } from './password-policy.ts';

describe('password policy', () => {
  it.each([
    ['short', /12 characters/],
    ['jane.doe-2026-x', /user name/],
    ['EOD.ENAJ-and-more', /user name/],
    ['aaaaaaaaaaaaaaaa', /too few/],
    ['abababababababab', /too few/],
    ['123456789012', /common/],
    ['zyxwvutsrqponm', /common/],
    ['Password1234!', /common/],
    ['P@ssw0rd!P@ssw0rd', /common/],
    ['passwordpassword', /common/],
    ['Summer-2026-Welcome', /common/],
    ['correcthorsebatterystaple', /common/],
    ['qwertyuiop2026', /common/],
    ['2026-2027-2028-13579', /common/],
  ])('refuses %s', (password, reason) => {
    expect(judgePassword(password, 'jane.doe')).toMatch(reason);
  });

  it.each([
    'Correct-Horse-7-Battery',
    'wL9v2nTq0xYbEoHj',
    'eine kleine Nachtigall',
    'żółta łódź podwodna',
    'тихий вечер у реки',
    'x7-q2-9k-4m-1z-8b',
  ])('takes %s', (password) => {
    expect(judgePassword(password, 'jane.doe')).toBeUndefined();
  });

  it('does not trip over very short user names', () => {
    expect(judgePassword('wL9v2nTq0xYbEoHj', 'a')).toBeUndefined();
  });
});
