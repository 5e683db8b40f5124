import { expect, it } from 'vitest';
import { createHitTest } from './hit-test.ts';

it('a translation is hit by a document that it looked at, and by no other', () => {
  const isHit = createHitTest(['clusters/backend', 'routes/site']);
  expect(isHit(new Set(['listeners/http', 'clusters/backend']))).toBe(true);
  expect(isHit(new Set(['clusters/back', 'listeners/http']))).toBe(false);
});

it('a virtual host that comes or goes hits whoever looked at the hosts of its route configuration', () => {
  const isHit = createHitTest(['virtual_hosts/site/www.example.com']);
  expect(isHit(new Set(['virtual_hosts/site/']))).toBe(true);
  expect(isHit(new Set(['virtual_hosts/other/']))).toBe(false);
});
