import {
  INVENTORY_AUTH_SCHEMES,
  INVENTORY_ENDPOINT_CATEGORIES,
  INVENTORY_METHODS,
  INVENTORY_PII_CATEGORIES,
  INVENTORY_PROTOCOLS,
} from '@flotilla/contract';
import { type OperationDelta, RISK_FLAG_NAMES } from '@flotilla/inventory';
import { createId } from '@flotilla/kit';
import type { Random } from '@flotilla/testkit/random';
import { createDelta } from './deltas.ts';

const DAY_MS = 86_400_000;
export const SERVICES = Array.from({ length: 4 }, () => createId());
export const CLIENTS = Array.from({ length: 3 }, () => createId());
export const LISTENERS = ['edge', 'edge-2', 'Web', 'intern%l'];
export const HOSTS = ['a.example', 'a.example.org', 'B.example', 'ü.example'];
export const PATHS = ['/', '/orders', '/orders/{id}', '/Orders', '/o_ders', '/%'];

export function some<T>(random: Random, values: readonly T[], most: number): T[] {
  return [...new Set(Array.from({ length: random.below(most + 1) }, () => random.pick(values)))];
}

/** Requests of one of some hundred operations, most of them seen lately and some long ago, but not so long that the clean-up deletes them. Many have equal times, counts and scores. */
export function createRandomDelta(random: Random, now: number): OperationDelta {
  const number = random.below(60);
  const path = number < 20 ? random.pick(PATHS) : `/things-${number}`;
  const name = `${random.pick(INVENTORY_METHODS)} ${random.pick(HOSTS)}${path}`;
  const atMs = now - random.pick([0, 1000, 600_000, 3_600_000, 8 * DAY_MS, 25 * DAY_MS]) - random.below(3) * 1000;
  const seen = random.pick([1, 1, 2, 7, 100, 5000]);
  const times = (names: readonly string[]) => Object.fromEntries(names.map((one) => [one, atMs]));
  const schemes = some(random, INVENTORY_AUTH_SCHEMES, 2);
  return createDelta(name, {
    atMs,
    seen,
    confirmed: random.chance(0.8),
    statuses: { 200: seen, ...(random.chance(0.3) && { 500: 1 + random.below(seen) }) },
    latencyMaxMs: random.pick([0, 3, 3.5, 250, 60_000]),
    flags: random.chance(0.4) ? times(some(random, RISK_FLAG_NAMES, 3)) : {},
    pii: random.chance(0.2) ? times(some(random, INVENTORY_PII_CATEGORIES, 2)) : {},
    categories: random.chance(0.2) ? some(random, INVENTORY_ENDPOINT_CATEGORIES, 2) : [],
    schemes: times(schemes),
    authenticatedMs: random.chance(0.5) ? atMs : 0,
    anonymousMs: random.chance(0.3) ? atMs : 0,
    threatMax: random.pick([0, 0, 4, 9]),
    exposureMax: random.pick([0, 0, 5, 9]),
    protocols: some(random, INVENTORY_PROTOCOLS, 2),
    services: some(random, SERVICES, 2),
    clients: some(random, CLIENTS, 2),
    listeners: some(random, LISTENERS, 2),
  });
}
