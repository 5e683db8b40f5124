import type { ApiTokenView } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { deriveTokenState, formatCurl, toExpiresAt, toExpiries } from './token-model.ts';

const NOW = Date.parse('2026-01-01T12:00:00.000Z');

type Maker = ApiTokenView['maker'];

it('the expiry is a number of days from now, or null for "never"', () => {
  expect(toExpiresAt('7', '', NOW)).toBe('2026-01-08T12:00:00.000Z');
  expect(toExpiresAt('365', '', NOW)).toBe('2027-01-01T12:00:00.000Z');
  expect(toExpiresAt('never', '2026-02-01', NOW)).toBeNull();
});

it('a token works until the end of the chosen day', () => {
  const end = toExpiresAt('date', '2026-02-01', NOW);
  expect(new Date(String(end)).getTime()).toBe(new Date('2026-02-01T23:59:59.999').getTime());
});

it('a past or missing day has no expiry', () => {
  expect(toExpiresAt('date', '2025-12-30', NOW)).toBeUndefined();
  expect(toExpiresAt('date', '', NOW)).toBeUndefined();
});

it('tokens that work are distinguished from those that expire soon, have expired or lost their creator', () => {
  const state = (expires_at: string | null, maker: Maker = 'active') => deriveTokenState({ expires_at, maker }, NOW);
  expect(state(null)).toBe('works');
  expect(state('2026-01-09T12:00:00.000Z')).toBe('works');
  expect(state('2026-01-08T11:59:59.000Z')).toBe('expiring');
  expect(state('2026-01-01T12:00:00.000Z')).toBe('expired');
  for (const maker of ['inactive', 'not_a_member', 'deleted'] as const)
    expect(state('2026-03-01T12:00:00.000Z', maker), maker).toBe('orphaned');
});

it('the request is a valid shell command', () => {
  expect(formatCurl('flt_abc', 'https://fleet.example.org', '/api/op/services?project=p')).toBe(
    "curl -H 'Authorization: Bearer flt_abc' 'https://fleet.example.org/api/op/services?project=p'",
  );
});

it('only lifetimes that the installation allows are offered, and its default is selected', () => {
  const values = (longest_days: number | null, default_days: number | null = null) => {
    const { choices, first } = toExpiries({ longest_days, default_days });
    return [choices.map(({ value }) => value).join(' '), first];
  };
  expect(values(null)).toEqual(['7 30 90 365 date never', '90']);
  expect(values(null, 14)).toEqual(['7 14 30 90 365 date never', '14']);
  expect(values(30)).toEqual(['7 30 date', '30']);
  expect(values(45, 7)).toEqual(['7 30 45 date', '7']);
  expect(values(1)).toEqual(['1 date', '1']);
});
