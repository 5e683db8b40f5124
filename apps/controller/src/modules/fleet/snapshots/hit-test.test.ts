import { expect, it } from 'vitest';
import { createHitTest } from './hit-test.ts';

it('a translation is affected by a document that it read, and by no other', () => {
  const isHit = createHitTest(['clusters/backend', 'routes/site']);
  expect(isHit(new Set(['listeners/http', 'clusters/backend']))).toBe(true);
  expect(isHit(new Set(['clusters/back', 'listeners/http']))).toBe(false);
});

it('a new or deleted virtual host affects translations that read all hosts of its route configuration', () => {
  const isHit = createHitTest(['virtual_hosts/site/www.example.com']);
  expect(isHit(new Set(['virtual_hosts/site/']))).toBe(true);
  expect(isHit(new Set(['virtual_hosts/other/']))).toBe(false);
});
