import { expect, it } from 'vitest';
import { CPU_LIMITS, formatPercent, MEMORY_LIMITS, STALE_AFTER_MS, toGauge } from './gauge.ts';

const AT = '2026-01-01T00:00:00.000Z';
const NOW = Date.parse(AT) + 1000;
const live = { at: AT, isConnected: true };

it('the exact number is shown, and the bar is at most full', () => {
  expect(toGauge({ ...live, percent: 42.46 }, CPU_LIMITS, NOW)).toEqual({
    text: '42.5 %',
    fill: 42.46,
    tone: 'good',
    isStale: false,
  });
  expect(toGauge({ ...live, percent: 340.2 }, CPU_LIMITS, NOW)).toMatchObject({
    text: '340 %',
    fill: 100,
    tone: 'bad',
  });
});

it('load and memory have different limits', () => {
  expect(toGauge({ ...live, percent: 96 }, CPU_LIMITS, NOW).tone).toBe('good');
  expect(toGauge({ ...live, percent: 96 }, MEMORY_LIMITS, NOW).tone).toBe('bad');
  expect(toGauge({ ...live, percent: 85 }, MEMORY_LIMITS, NOW).tone).toBe('warn');
});

it('old values and values of a disconnected client are marked as stale and raise no alarm', () => {
  const old = toGauge({ ...live, percent: 99 }, MEMORY_LIMITS, Date.parse(AT) + STALE_AFTER_MS + 1);
  expect(old).toMatchObject({ isStale: true, tone: 'quiet', text: '99.0 %' });
  expect(toGauge({ at: AT, isConnected: false, percent: 99 }, MEMORY_LIMITS, NOW).isStale).toBe(true);
});

it('a missing measurement is a dash', () => {
  expect(toGauge({ at: null, isConnected: true, percent: null }, CPU_LIMITS, NOW)).toMatchObject({
    text: '–',
    fill: 0,
    isStale: false,
  });
});

it('percentages have one decimal below 100', () => {
  expect([0, 99.94, 100.4].map(formatPercent)).toEqual(['0.0 %', '99.9 %', '100 %']);
});
