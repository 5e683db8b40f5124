import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PATH_CHARACTERS_MAX, SEGMENTS_MAX } from './limits.ts';
import { normalizePath } from './path.ts';

const segmentsOf = (path: string): string => normalizePath(path).segments.join('|');

describe('the normalized path', () => {
  it.each([
    ['/users/42?secret=1', 'users|42'],
    ['/users/42#top', 'users|42'],
    ['https://api.example.com/users?x', 'users'],
    ['//users///42/', 'users|42'],
    ['/users/./42/../43', 'users|43'],
    ['/users/%2e%2e/orders', 'orders'],
    ['/users;v=1/42;session=secret', 'users|42'],
    ['/%75sers', 'users'],
    ['/a%2Fb', 'a%2Fb'],
    ['/a%5cb', 'a%5Cb'],
    ['/%252e%252e', '%252e%252e'],
    ['/100%', '100%25'],
    ['/%zz', '%25zz'],
    ['/caf%C3%A9', 'café'],
    ['/cafe%CC%81', 'café'],
    ['/%ff%fe', '%FF%FE'],
    ['/%C0%AF', '%C0%AF'],
    ['/%ED%A0%80', '%ED%A0%80'],
    ['/a%00b', 'a%00b'],
    ['/a\0b', 'a%00b'],
    ['/%7Bid%7D/{id}', '%7Bid%7D|%7Bid%7D'],
    ['/a\u202eb', 'a%E2%80%AEb'],
    ['/\u001b[31m', '%1B[31m'],
    ['/a\ud800', 'a\ufffd'],
    ['', ''],
    ['*', '*'],
  ])('of %j has the segments %j', (path, expected) => {
    expect(segmentsOf(path)).toBe(expected);
  });

  it.each(['/../etc/passwd', '/a/../../b', '/..%2f..%2fetc', '/files/..%5c..%5cboot.ini', '/%2e%2e/%2e%2e/x'])(
    'reports the traversal in %j',
    (path) => {
      expect(normalizePath(path).isTraversal).toBe(true);
    },
  );

  it('says nothing of a traversal for dots in names', () => {
    expect(normalizePath('/a..b/...').isTraversal).toBe(false);
  });

  it('cuts a path of 64 KiB and one of many segments, and says so', () => {
    const long = normalizePath(`/${'a'.repeat(65_536)}`);
    expect(long.isTruncated).toBe(true);
    expect(long.segments[0]?.length).toBeLessThan(PATH_CHARACTERS_MAX);
    const deep = normalizePath('/a'.repeat(1000));
    expect(deep.isTruncated).toBe(true);
    expect(deep.segments).toHaveLength(SEGMENTS_MAX);
  });

  it('is stable, whatever the path', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl({ withQueryParameters: true })), (path) => {
        const { segments } = normalizePath(`/${path}`);
        expect(segments.every((segment) => segment !== '' && !/[/{}?#\s\p{Cc}]/u.test(segment))).toBe(true);
        const again = normalizePath(`/${segments.join('/')}`).segments;
        expect(again.join('/').toLowerCase()).toBe(
          segments
            .filter((segment) => segment !== '')
            .join('/')
            .toLowerCase(),
        );
      }),
    );
  });
});
