import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupMatcher } from './directory.ts';
import { nameOfDn, normalizeDn } from './dn.ts';
import { fillFilter, filterOfAnybody, filterOfId } from './filter.ts';

describe('distinguished names', () => {
  it.each([
    ['CN=Ops, OU=Groups,DC=example', 'cn=ops,ou=groups,dc=example'],
    ['cn=a\\,b,dc=x', 'cn=a\\2cb,dc=x'],
    ['cn="a,b",dc=x', 'cn=a\\,b,dc=x'],
    ['uid=1+cn=x,dc=x', 'CN=X+UID=1,dc=x'],
    ['cn=\\c3\\a9,dc=x', 'cn=é,dc=x'],
  ])('include %s, which equals %s', (one, other) => {
    expect(normalizeDn(one)).toBe(normalizeDn(other));
  });

  it.each([
    ['cn=a\\,ou=b,dc=x', 'cn=a,ou=b,dc=x'],
    ['cn=a\\+b=c,dc=x', 'cn=a+b=c,dc=x'],
    ['cn=ops,ou=a,dc=x', 'cn=ops,ou=b,dc=x'],
    ['cn=a\\5c,dc=x', 'cn=a,dc=x'],
  ])('include %s, which differs from %s', (one, other) => {
    expect(normalizeDn(one)).not.toBe(normalizeDn(other));
  });

  it('start with a short name', () => {
    expect(nameOfDn('CN=Net\\, Ops,ou=groups')).toBe('net, ops');
  });
});

describe('a rule for groups', () => {
  it('with a full name matches only that group, and with a short name every group of that name', () => {
    const isIn = groupMatcher(['cn=ops,ou=north,dc=x']);
    expect([isIn('CN=Ops,OU=North,DC=x'), isIn('cn=ops,ou=south,dc=x'), isIn('OPS'), isIn('op')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});

describe('a filter with a name in it', () => {
  it.each(['*', 'a)(uid=*', '*)(|(uid=*', '\\', '\0', 'a*', ' ', 'é', '$&', "$'", '{username}'])(
    'treats %j as a value',
    (name) => {
      const filter = fillFilter('(&(objectClass=person)(uid={username}))', name);
      const again = fillFilter('(&(objectClass=person)(uid={username}))', 'plain');
      expect(shapeOf(filter)).toBe(shapeOf(again));
    },
  );

  it('has the same shape for every name', () => {
    const letter = fc.integer({ min: 0, max: 0x2ff }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.string({ unit: letter, minLength: 1, maxLength: 20 }), (name) => {
        expect(shapeOf(fillFilter('(|(uid={username})(mail={username}))', name))).toBe('Or(Equality,Equality)');
      }),
      { numRuns: 300 },
    );
  });
});

describe('a filter without a name', () => {
  it.each([
    ['(&(objectClass=person)(uid={username}))', '(&(objectClass=person)(uid=*))'],
    ['(|(uid={username})(mail={username}@example.org))', '(|(uid=*)(mail=*))'],
    ['(&(uid={username})(!(memberOf=cn=gone)))', '(&(uid=*)(!(memberOf=cn=gone)))'],
    ['(&(uid={username})(!(cn={username})))', '(&(uid=*)(objectClass=*))'],
    ['(uid=*{username}*)', '(uid=*)'],
  ])('contains no name: %s', (template, expected) => {
    expect(filterOfAnybody(template).toString()).toBe(expected);
  });
});

describe('a filter by id', () => {
  it('matches text, and octets if the text may represent them', () => {
    expect(shapeOf(filterOfId('entryUUID', 'b1946ac9-2492-4d23-8d0e-d7f1c4f10a22'))).toBe('Equality');
    expect(shapeOf(filterOfId('objectGUID', '9f0e1d2c3b4a59687786a5b4c3d2e1f0'))).toBe('Or(Equality,Equality)');
    expect(shapeOf(filterOfId('uid', '*)(uid=*'))).toBe('Equality');
  });
});

function shapeOf(filter: object): string {
  const kind = filter.constructor.name.replace('Filter', '');
  const inner = 'filters' in filter && Array.isArray(filter.filters) ? filter.filters.map(shapeOf) : undefined;
  return inner ? `${kind}(${inner.join(',')})` : kind;
}
