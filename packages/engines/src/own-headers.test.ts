import { describe, expect, it } from 'vitest';
import { OwnHeaders } from './own-headers.ts';

describe('the headers that only an engine may set', () => {
  const own = new OwnHeaders(['x-user_id', 'role', '_path']);

  it.each(['x-user_id', 'x_user-id', 'x.user.id', 'X-User.Id', 'x!user~id', 'role', 'ROLE', '-path'])(
    'are claimed by %s, which some upstream takes for one',
    (name) => expect(own.has(name)).toBe(true),
  );

  it.each(['x-user', 'xuserid', 'x-user-id-', 'x--user-id', 'x-userxid', 'roles', ':path'])(
    'are not claimed by %s',
    (name) => expect(own.has(name)).toBe(false),
  );
});
