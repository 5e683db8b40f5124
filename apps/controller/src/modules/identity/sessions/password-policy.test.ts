import { describe, expect, it } from 'vitest';
import { judgePassword } from './password-policy.ts';

describe('the password policy', () => {
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
    ['1qaz2wsx3edc', /common/],
    ['Q1w2e3r4t5y6!!', /common/],
    ['ILoveYouMonkey99', /common/],
    ['adminadminadmin', /common/],
    ['Jürgen-Müller-1', /user name/, 'jürgen-müller'],
  ] as const)('refuses %s', (password, reason, username: string = 'jane.doe') => {
    expect(judgePassword(password, username, 12)).toMatch(reason);
  });

  it.each([
    'Correct-Horse-7-Battery',
    'wL9v2nTq0xYbEoHj',
    'eine kleine Nachtigall',
    'żółta łódź podwodna',
    'тихий вечер у реки',
    'x7-q2-9k-4m-1z-8b',
  ])('accepts %s', (password) => {
    expect(judgePassword(password, 'jane.doe', 12)).toBeUndefined();
  });

  it('counts displayed letters, however a keyboard composes them', () => {
    const composed = 'žluťoučký kůň';
    expect(judgePassword(composed.normalize('NFD'), 'jane.doe', 13)).toBeUndefined();
    expect(judgePassword(composed.normalize('NFD'), 'jane.doe', 14)).toMatch(/14 characters/);
  });

  it('judges the longest possible password at once', () => {
    expect(judgePassword('abcd'.repeat(256), 'jane.doe', 12)).toMatch(/too few/);
    expect(judgePassword('welcomeadmin'.repeat(85), 'jane.doe', 12)).toMatch(/common/);
  });

  it('handles very short user names', () => {
    expect(judgePassword('wL9v2nTq0xYbEoHj', 'a', 12)).toBeUndefined();
  });
});
