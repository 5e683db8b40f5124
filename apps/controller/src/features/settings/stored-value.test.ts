import {
  API_DISCOVERY_SETTINGS,
  type SettingsType,
  SIGN_IN_SETTINGS,
  SYSLOG_SETTINGS,
  TOKEN_SETTINGS,
} from '@flotilla/contract';
import { expect, it } from 'vitest';
import { readAcceptable, readStored, withoutUnknown } from './stored-value.ts';

it('what the schema does not have is left out, however deep, and the rest is read as it is', () => {
  const stored = {
    newer: { x: 1 },
    policy: { newer: true, store_headers: true, exclude: { hosts: ['a'], newer: 1 } },
    detection: { bola: { threshold: 7, newer: [] } },
  };
  const value = readStored(API_DISCOVERY_SETTINGS, stored);
  expect(value.policy).toMatchObject({ store_headers: true, exclude: { hosts: ['a'] } });
  expect(value.detection.bola.threshold).toBe(7);
  expect(JSON.stringify(value)).not.toContain('newer');
});

it('also within lists, and where something else is refused, which still throws', () => {
  const patterns = [{ regex: 'a', placeholder: 'id', newer: 1 }];
  const stored = { policy: { path_normalize_patterns: patterns, raw_sample_rate: 2 } };
  expect(withoutUnknown(API_DISCOVERY_SETTINGS.schema, stored)).toEqual({
    policy: { path_normalize_patterns: [{ regex: 'a', placeholder: 'id' }], raw_sample_rate: 2 },
  });
  expect(() => readStored(API_DISCOVERY_SETTINGS, stored)).toThrow();
});

it('what is stored is not touched, and not copied where nothing is left out', () => {
  const stored = { otp_enforced: true, newer: 1 };
  expect(withoutUnknown(SIGN_IN_SETTINGS.schema, stored)).toEqual({ otp_enforced: true });
  expect(stored).toEqual({ otp_enforced: true, newer: 1 });
  const known = { otp_enforced: true };
  expect(withoutUnknown(SIGN_IN_SETTINGS.schema, known)).toBe(known);
});

it('of a refused document only the refused fields fall, and none to something looser', () => {
  const { value, refused } = readAcceptable(SIGN_IN_SETTINGS, {
    otp_enforced: true,
    password_min_length: 999,
    free_attempts: 4,
    session_days: 0,
    newer: 'secret words',
  });
  expect(value).toEqual({
    otp_enforced: true,
    password_min_length: 64,
    free_attempts: 4,
    longest_wait_s: 900,
    session_days: 1,
    browser_idle_days: 7,
  });
  expect(refused).toEqual([
    { path: 'password_min_length', rule: 'too_big' },
    { path: 'session_days', rule: 'too_small' },
  ]);
});

it('token rules that are refused never become no rules', () => {
  const rulesOf = (stored: { longest_days?: number; default_days?: number; default_families?: string[] }) =>
    readAcceptable(TOKEN_SETTINGS, stored).value;
  expect(rulesOf({ longest_days: 5000 })).toEqual({ longest_days: 1, default_days: null, default_families: [] });
  // The other field is against the one that has fallen, and falls with it.
  expect(rulesOf({ longest_days: 5000, default_days: 30 })).toMatchObject({ longest_days: 1, default_days: 1 });
  expect(rulesOf({ longest_days: 90, default_families: ['gone'] })).toMatchObject({ longest_days: 90 });
  expect(rulesOf({ default_families: ['gone'] }).default_families).toEqual(['events']);
});

it('what is sent elsewhere is off where any part of it is refused', () => {
  const { value, refused } = readAcceptable(SYSLOG_SETTINGS, {
    enabled: true,
    host: 'log.example.com',
    protocol: 'tcp+dtls',
  });
  expect([value.enabled, value.host]).toEqual([false, '']);
  expect(refused.map(({ path }) => path)).toEqual(['protocol']);
});

it.each<SettingsType>([SIGN_IN_SETTINGS, TOKEN_SETTINGS, SYSLOG_SETTINGS])(
  'what holds of rubbish in every field of %s is taken by its schema',
  (type) => {
    const rubbish = Object.fromEntries(Object.keys(type.schema.shape).map((field) => [field, { rubbish: true }]));
    const { value } = readAcceptable(type, rubbish);
    expect(value).toEqual(type.schema.parse(type.whenRefused ?? {}));
  },
);
