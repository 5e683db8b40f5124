import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPath, splitTarget } from './path.ts';
import { DomainIndex } from './policy-index.ts';
import { PrefixTable } from './prefix-table.ts';

const at = (target: string) => {
  const bytes = Buffer.from(`:path${target}next`);
  return { bytes, start: 5, end: bytes.length - 4 };
};

describe('PrefixTable', () => {
  const table = new PrefixTable<string>(
    ['/', '/v1', '/v1/users', '/v1/orders', '/v1/users/admin/'].map((prefix) => [prefix, prefix]),
    'none',
  );

  it.each([
    ['/v1/users/42', '/v1/users'],
    ['/v1/users/admin/x?y=/v1/users/admin/', '/v1/users/admin/'],
    ['/v1/users/admin', '/v1/users'],
    ['/v2', '/'],
    ['/v1?q=%2f..;x', '/v1'],
    ['/v1#fragment', '/v1'],
    ['/v1/users', '/v1/users'],
  ])('finds for %s the prefix %s', (target, prefix) => {
    expect(table.find(at(target))).toBe(prefix);
  });

  it.each([
    ['an escape', '/v1/%75sers'],
    ['a capital', '/V1/users'],
    ['a parameter', '/v1/users;x'],
    ['a backslash', '/v1\\users'],
    ['a tab', '/v1/us\ters'],
    ['an empty segment', '//v1/users'],
    ['a dotted segment', '/v1/../v1/users'],
    ['another letter than ASCII', '/v1/é'],
    ['another beginning', 'http://x/v1/users'],
    ['nothing', ''],
    ['a session in it', '/(s(x))/v1'],
    ['a query that is a path', '/v1?/users'],
    ['a name that ends in a dot', '/v1./users'],
    ['a dot at its end', '/v1/users.'],
    ['a dot before the query', '/v1/users.?x'],
    ['a dot before the fragment', '/v1/users.#x'],
    ['a dot at its end behind the longest prefix', '/v1/users/admin/x.'],
    ['a space', '/v1 /users'],
  ])('returns nothing for a path with %s', (_, target) => {
    expect(table.find(at(target))).toBeUndefined();
  });

  it("returns the result of a path's readings, or nothing", () => {
    const segment = fc.constantFrom(
      'a',
      'b',
      'ab',
      'aa',
      'A',
      'é',
      '.',
      '..',
      '%61',
      'a;b',
      'a\\b',
      '',
      '?',
      '#',
      '/',
      'a..',
      'a.',
      'a ',
      'a.php',
      'b.cgi',
      'b.wsgi',
      'b.rb',
      'a.phar',
      '(s(a))',
      '?/a',
    );
    const path = fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`);
    const prefixes = fc.uniqueArray(
      fc
        .array(fc.constantFrom('a', 'b', 'ab', 'aa', '', 'é'), { maxLength: 4 })
        .map((segments) => `/${segments.join('/')}`),
      { maxLength: 8 },
    );
    let plain = 0;
    fc.assert(
      fc.property(prefixes, path, (routes, target) => {
        const index = new DomainIndex({
          hosts: [],
          policy: 'none',
          routes: routes.map((pathPrefix) => ({ pathPrefix, policy: pathPrefix })),
        });
        const found = index.findPlain(at(target));
        if (found === undefined) return;
        plain += 1;
        const { path: sent, query } = splitTarget(target);
        expect(found).toEqual(index.findPolicies(readPath(sent, query)));
      }),
      { numRuns: 5000 },
    );
    expect(plain).toBeGreaterThan(500);
  });

  it('returns a result for every plain path', () => {
    const character = fc.constantFrom(...'abcxyz0189-_.~!$&()*+,=:@'.split(''));
    const path = fc.array(fc.string({ unit: character, minLength: 1 }).filter((text) => !/^[.(]|\.\.|\.$/.test(text)));
    fc.assert(
      fc.property(path, (segments) => {
        expect(table.find(at(`/${segments.join('/')}`))).toBeDefined();
      }),
    );
  });
});
