import { expect, test } from 'vitest';
import { deriveDrainTimes, ENVOY_DRAIN, letFinish } from './drain-times.ts';

test('a replaced Envoy may finish for the wanted time and 5 s, and asks its clients to leave within 10 s of it', () => {
  expect(deriveDrainTimes(60)).toEqual({ drainS: 10, shutdownS: 65 });
  expect(deriveDrainTimes(3)).toEqual({ drainS: 3, shutdownS: 8 });
  expect(deriveDrainTimes(10)).toEqual(ENVOY_DRAIN);
});

test('the times of the agent apply to a service for which none are set', () => {
  expect(deriveDrainTimes(0)).toEqual(ENVOY_DRAIN);
  expect(deriveDrainTimes(0, { drainS: 1, shutdownS: 2 })).toEqual({ drainS: 1, shutdownS: 2 });
});

test('an Envoy that was started with a longer time is not cut while it still asks its clients', () => {
  expect(letFinish(deriveDrainTimes(1), { drainS: 10, shutdownS: 15 })).toEqual({ drainS: 1, shutdownS: 10 });
  expect(letFinish(deriveDrainTimes(60), { drainS: 10, shutdownS: 15 }).shutdownS).toBe(65);
  expect(letFinish(deriveDrainTimes(1), undefined).shutdownS).toBe(6);
});
