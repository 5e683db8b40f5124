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

  // One expression of all names took half a minute for this.
  it('are told from strangers where there are thousands of them', () => {
    const numbers = Array.from({ length: 9000 }, (_, n) => 10_000 + n);
    const many = new AlikeNames(numbers.map((n) => `x-${n}-user-id`));
    expect(numbers.filter((n) => many.has(`X.${n}.user_id`))).toEqual(numbers);
    expect(numbers.filter((n) => many.has(`x-${n + 9000}-user-id`))).toEqual([]);
  });
});
