import {
  API_DISCOVERY_SETTINGS,
  type SettingsType,
  SIGN_IN_SETTINGS,
  SYSLOG_SETTINGS,
  TOKEN_SETTINGS,
} from '@flotilla/contract';
import { expect, it } from 'vitest';
import { readAcceptable, readStored, withoutUnknown } from './stored-value.ts';

it('unknown members are dropped at any depth, and the rest is read unchanged', () => {
  const stored = {
    newer: { x: 1 },
    policy: { newer: true, hash_user_agent: false, exclude: { hosts: ['a'], newer: 1 } },
    detection: { bola: { threshold: 7, newer: [] } },
  };
  const value = readStored(API_DISCOVERY_SETTINGS, stored);
  expect(value.policy).toMatchObject({ hash_user_agent: false, exclude: { hosts: ['a'] } });
  expect(value.detection.bola.threshold).toBe(7);
  expect(JSON.stringify(value)).not.toContain('newer');
});

it('unknown members are also dropped in lists and next to a refused member, which still throws', () => {
  const patterns = [{ regex: 'a', placeholder: 'id', newer: 1 }];
  const stored = { policy: { path_normalize_patterns: patterns, raw_sample_rate: -2 } };
  expect(withoutUnknown(API_DISCOVERY_SETTINGS.schema, stored)).toEqual({
    policy: { path_normalize_patterns: [{ regex: 'a', placeholder: 'id' }], raw_sample_rate: -2 },
  });
  expect(() => readStored(API_DISCOVERY_SETTINGS, stored)).toThrow();
});

it('the stored value is not modified, and not copied if nothing is dropped', () => {
  const stored = { otp_enforced: true, newer: 1 };
  expect(withoutUnknown(SIGN_IN_SETTINGS.schema, stored)).toEqual({ otp_enforced: true });
  expect(stored).toEqual({ otp_enforced: true, newer: 1 });
  const known = { otp_enforced: true };
  expect(withoutUnknown(SIGN_IN_SETTINGS.schema, known)).toBe(known);
});

it('only the refused fields of a refused document fall back, and none to a less strict value', () => {
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

it('refused token rules never become missing rules', () => {
  const rulesOf = (stored: { longest_days?: number; default_days?: number; default_families?: string[] }) =>
    readAcceptable(TOKEN_SETTINGS, stored).value;
  expect(rulesOf({ longest_days: 5000 })).toEqual({ longest_days: 1, default_days: null, default_families: [] });
  // The other field conflicts with the replaced one, and is replaced too.
  expect(rulesOf({ longest_days: 5000, default_days: 30 })).toMatchObject({ longest_days: 1, default_days: 1 });
  expect(rulesOf({ longest_days: 90, default_families: ['gone'] })).toMatchObject({ longest_days: 90 });
  expect(rulesOf({ default_families: ['gone'] }).default_families).toEqual(['events']);
});

it('outgoing connections are off if any part of their settings is refused', () => {
  const { value, refused } = readAcceptable(SYSLOG_SETTINGS, {
    enabled: true,
    host: 'log.example.com',
    protocol: 'tcp+dtls',
  });
  expect([value.enabled, value.host]).toEqual([false, '']);
  expect(refused.map(({ path }) => path)).toEqual(['protocol']);
});

it.each<SettingsType>([SIGN_IN_SETTINGS, TOKEN_SETTINGS, SYSLOG_SETTINGS])(
  'the fallback for invalid values in every field of %s is accepted by its schema',
  (type) => {
    const rubbish = Object.fromEntries(Object.keys(type.schema.shape).map((field) => [field, { rubbish: true }]));
    const { value } = readAcceptable(type, rubbish);
    expect(value).toEqual(type.schema.parse(type.whenRefused ?? {}));
  },
);
