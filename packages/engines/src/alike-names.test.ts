import { describe, expect, it } from 'vitest';
import { AlikeNames } from './alike-names.ts';

describe('the names that some upstream takes for one another', () => {
  const alike = new AlikeNames(['x-user_id', 'role', '_path']);

  it.each(['x-user_id', 'x_user-id', 'x.user.id', 'X-User.Id', 'x!user~id', 'role', 'ROLE', '-path'])(
    'have %s among them',
    (name) => expect(alike.has(name)).toBe(true),
  );

  it.each(['x-user', 'xuserid', 'x-user-id-', 'x--user-id', 'x-userxid', 'roles', ':path'])(
    'have no %s among them',
    (name) => expect(alike.has(name)).toBe(false),
  );

  it('are found at a cost that does not grow with their number', () => {
    const many = new AlikeNames(Array.from({ length: 10_000 }, (_, n) => `x-${10_000 + n}-user-id`));
    const started = performance.now();
    for (let n = 0; n < 9000; n++) expect(many.has(`x-${90_000 + n}-user-id`)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
