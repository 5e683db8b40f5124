import { FakeClock } from '@flotilla/kit';
import { expect, it } from 'vitest';
import { RECENT_MAX_AGE_MS } from '../../../platform/http/recent.ts';
import { type Identity, IdentityCache } from './identity-cache.ts';

const identity = (sessionId: string): Identity => ({
  sessionId,
  userId: 'u',
  username: 'u',
  isOwner: false,
  mustChangePassword: false,
  expiresAt: new Date(),
  roles: new Map(),
  closed: new Map(),
  listed: new Set<string>(),
});

it('the identity cache reads again after half a second, counted from the start of the query', async () => {
  const clock = new FakeClock();
  let loads = 0;
  const cache = new IdentityCache(async (id) => {
    loads += 1;
    clock.advance(400);
    return identity(id);
  }, clock);
  await cache.find('s');
  await cache.find('s');
  expect(loads).toBe(1);
  clock.advance(RECENT_MAX_AGE_MS - 400);
  await cache.find('s');
  expect(loads).toBe(2);
});

it('the identity cache drops a load that started before a change', async () => {
  const held = Promise.withResolvers<Identity | undefined>();
  const answers = [held.promise, Promise.resolve(undefined)];
  const cache = new IdentityCache(async () => answers.shift(), new FakeClock());
  const early = cache.find('s');
  cache.forget();
  held.resolve(identity('s'));
  expect(await early).toBeDefined();
  expect(await cache.find('s')).toBeUndefined();
});

it('the identity cache stores no missing sessions, and no more than ten thousand entries', async () => {
  const known = new Set<string>();
  const cache = new IdentityCache(async (id) => (known.has(id) ? identity(id) : undefined), new FakeClock());
  expect(await cache.find('late')).toBeUndefined();
  known.add('late');
  expect(await cache.find('late')).toBeDefined();
  for (let i = 0; i < 10_050; i += 1) {
    known.add(`s${i}`);
    await cache.find(`s${i}`);
  }
  expect(cache.size).toBe(10_000);
});
