import { describe, expect, it } from 'vitest';
import { AlikeNames } from './alike-names.ts';

describe('header names that some upstream treats as the same', () => {
  const alike = new AlikeNames(['x-user_id', 'role', '_path']);

  it.each(['x-user_id', 'x_user-id', 'x.user.id', 'X-User.Id', 'x!user~id', 'role', 'ROLE', '-path'])(
    'include %s',
    (name) => expect(alike.has(name)).toBe(true),
  );

  it.each(['x-user', 'xuserid', 'x-user-id-', 'x--user-id', 'x-userxid', 'roles', ':path'])(
    'do not include %s',
    (name) => expect(alike.has(name)).toBe(false),
  );

  // A single regular expression of all names took half a minute for this.
  it('are distinguished from others even if there are thousands of them', () => {
    const numbers = Array.from({ length: 9000 }, (_, n) => 10_000 + n);
    const many = new AlikeNames(numbers.map((n) => `x-${n}-user-id`));
    expect(numbers.filter((n) => many.has(`X.${n}.user_id`))).toEqual(numbers);
    expect(numbers.filter((n) => many.has(`x-${n + 9000}-user-id`))).toEqual([]);
  });
});
