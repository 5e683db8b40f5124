import { expect, it } from 'vitest';
import { nameRealm, toBooleanFilter } from './model.ts';

it('both boxes of a boolean filter are no filter', () => {
  expect(toBooleanFilter(['true'])).toBe('true');
  expect(toBooleanFilter(['false'])).toBe('false');
  expect(toBooleanFilter(['true', 'false'])).toBeUndefined();
  expect(toBooleanFilter(['maybe'])).toBeUndefined();
  expect(toBooleanFilter(undefined)).toBeUndefined();
});

it('a realm has its title, and a removed realm its raw name', () => {
  const realms = [
    { kind: 'local', name: 'local', title: 'Flotilla', start: null },
    { kind: 'oidc', name: 'corp', title: 'Corporation', start: '/auth/oidc/corp/start' },
  ] as const;
  expect(nameRealm(realms, 'local')).toBe('Flotilla');
  expect(nameRealm(realms, 'oidc/corp')).toBe('Corporation');
  expect(nameRealm(realms, 'oidc/gone')).toBe('oidc/gone');
  // A directory with that name is not the provider.
  expect(nameRealm(realms, 'corp')).toBe('corp');
});
