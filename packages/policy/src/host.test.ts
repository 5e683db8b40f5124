import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { canonicalHost, parseHostPattern, readHosts } from './host.ts';
import { loadPolicyFiles } from './load.ts';
import { PolicyIndex } from './policy-index.ts';

describe('canonicalHost', () => {
  it.each([
    ['API.Example.COM', 'api.example.com'],
    ['api.example.com:8443', 'api.example.com'],
    ['api.example.com.', 'api.example.com'],
    ['api.example.com.:80', 'api.example.com'],
    ['api.example.com:', 'api.example.com'],
    ['api.example.com..', 'api.example.com.'],
    ['[2001:DB8:0::1]:443', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['[fe80::1%25eth0]', 'fe80::1'],
    ['user:pass@api.example.com', 'api.example.com'],
    ['', ''],
    [':80', ''],
    ['[', ''],
  ])('reads %s as %s', (authority, host) => {
    expect(canonicalHost(authority)).toBe(host);
  });

  it('never throws and ignores port, case and trailing dot', () => {
    fc.assert(fc.property(fc.string(), (text) => typeof canonicalHost(text) === 'string'));
    fc.assert(
      fc.property(fc.domain(), fc.nat(65535), fc.boolean(), (name, port, dot) => {
        const spelled = `${name.toUpperCase()}${dot ? '.' : ''}:${port}`;
        expect(canonicalHost(spelled)).toBe(name.toLowerCase());
      }),
    );
  });
});

describe('readHosts', () => {
  it.each(['api.example.com', 'API.example.com:443', 'api.example.com.', '127.0.0.1:80', '[::1]:80', 'a_b-c', 'a.:'])(
    'gives %s the one reading that all programs have',
    (authority) => expect(readHosts(authority)).toBeUndefined(),
  );

  it.each([
    'api.example.com:80:80',
    'api.example.com,other.example.com',
    'other.example.com, api.example.com',
    'api.example.com:x.other.example.com',
    'api.example.com:80@other.example.com',
    'other.example.com@api.example.com',
    'api.example.com..',
    'api%2eexample%2ecom',
    'api.example.com/other.example.com',
    'api.example.com\\.other.example.com',
    'ａpi.example.com',
  ])('finds the host that some program may read in %s', (authority) =>
    expect(readHosts(authority)).toContain('api.example.com'),
  );

  it.each(['127.1', '0x7f.0.0.1', '2130706433', '0177.0.0.1'])('knows the address in %s', (authority) =>
    expect(readHosts(authority)).toContain('127.0.0.1'),
  );

  it('contains what common programs read from a malformed authority, and stays small', () => {
    const piece = fc.constantFrom(
      'api.example.com',
      'b.example',
      ':',
      '@',
      ',',
      ' ',
      '.',
      '80',
      '[',
      ']',
      '::1',
      '%2e',
      '/',
    );
    const programs: readonly ((authority: string) => string)[] = [
      (authority) => authority.split(':')[0] ?? '',
      (authority) => authority.replace(/:[^:]*$/, ''),
      (authority) => authority.split(',')[0]?.trim() ?? '',
      (authority) => authority.split(',').at(-1)?.trim() ?? '',
      (authority) => authority.slice(authority.lastIndexOf('@') + 1),
      (authority) => URL.parse(`http://${authority}/`)?.hostname ?? '',
    ];
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom(...programs), (pieces, program) => {
        const authority = pieces.join('');
        const readings = readHosts(authority) ?? [canonicalHost(authority)];
        expect(readings.length).toBeLessThan(60);
        if (program(authority) === 'api.example.com') expect(readings).toContain('api.example.com');
      }),
      { numRuns: 20_000 },
    );
    expect(readHosts('a@,'.repeat(20_000))?.length).toBeLessThan(60);
  });
});

describe('parseHostPattern', () => {
  it.each([
    'a.example.com:80',
    'https://a.example.com',
    'a b',
    '',
    'a..b',
    '*a.example.com',
    '*.*.example.com',
    'a.*',
    'bücher.example',
    'a/b',
  ])('refuses %s with a reason', (entry) => expect(typeof parseHostPattern(entry)).toBe('string'));

  it.each([
    ['A.Example.com.', { kind: 'exact', host: 'a.example.com' }],
    ['[2001:db8:0:0::1]', { kind: 'exact', host: '2001:db8::1' }],
    ['192.0.2.1', { kind: 'exact', host: '192.0.2.1' }],
    ['*.Example.com', { kind: 'suffix', suffix: '.example.com' }],
    ['*', { kind: 'any' }],
  ])('reads %s', (entry, pattern) => expect(parseHostPattern(entry)).toEqual(pattern));
});

const listed = (texts: readonly string[]) => ({ texts, mayBeAny: false });

function indexOf(hostLists: readonly (readonly string[])[]): PolicyIndex<string> {
  const domains = hostLists.map((hosts, n) => ({
    hosts,
    routes: [{ match: { path_prefix: `/d${n}` }, policy: {} }],
  }));
  const document = {
    apiVersion: 'flotilla.dev/v1',
    kind: 'SecurityPolicy',
    metadata: { name: 'p' },
    spec: { domains },
  };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return new PolicyIndex(loaded.value.domains, (policy) => policy.pathPrefix ?? 'base');
}

describe('PolicyIndex', () => {
  const index = indexOf([['api.example.com'], ['*.example.com', 'exact.test'], ['*.eu.example.com'], ['*']]);
  const domainOf = (host: string) =>
    [0, 1, 2, 3].find((n) => index.findDomain(host)?.findPolicy(`/d${n}/x`) === `/d${n}`);

  it.each([
    ['api.example.com', 0],
    ['other.example.com', 1],
    ['a.b.example.com', 1],
    ['exact.test', 1],
    ['x.eu.example.com', 2],
    ['eu.example.com', 1],
    ['example.com', 3],
    ['.example.com', 3],
    ['', 3],
  ])('gives %s to domain %i', (host, n) => expect(domainOf(host)).toBe(n));

  it('finds no domain for a host that none covers', () => {
    expect(indexOf([['api.example.com']]).findDomain('other.example.com')).toBeUndefined();
  });

  it('agrees with a linear search over all entries', () => {
    const label = fc.constantFrom('a', 'b', 'c');
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
    const entry = fc.oneof(
      name,
      name.map((text) => `*.${text}`),
      fc.constant('*'),
    );
    fc.assert(
      fc.property(fc.uniqueArray(entry, { maxLength: 12 }), name, (entries, host) => {
        const found = indexOf(entries.map((text) => [text])).findDomain(host);
        const scored = entries
          .map((text, n) => ({
            n,
            score:
              text === host
                ? 1000
                : text === '*'
                  ? 0
                  : text.startsWith('*.') && host.endsWith(text.slice(1)) && host.length >= text.length
                    ? text.length
                    : -1,
          }))
          .filter(({ score }) => score >= 0)
          .sort((a, b) => b.score - a.score);
        expect(found?.findPolicy(`/d${scored[0]?.n}`)).toBe(scored[0] && `/d${scored[0].n}`);
      }),
    );
  });
});

describe('the routes of a domain', () => {
  const document = (prefixes: readonly string[]) => ({
    apiVersion: 'flotilla.dev/v1',
    kind: 'SecurityPolicy',
    metadata: { name: 'p' },
    spec: {
      domains: [{ hosts: ['*'], routes: prefixes.map((path_prefix) => ({ match: { path_prefix }, policy: {} })) }],
    },
  });
  const domainOf = (prefixes: readonly string[]) => {
    const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document(prefixes)) }]);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
    return new PolicyIndex(loaded.value.domains, (policy) => policy.pathPrefix ?? 'base').findDomain('x');
  };

  it('are matched by the longest prefix in any order; otherwise the policy of the domain applies', () => {
    const domain = domainOf(['/a', '/a/b/', '/a/b', '/x']);
    expect(['/a/b/c', '/a/b', '/a', '/ab', '/q'].map((path) => domain?.findPolicy(path))).toEqual([
      '/a/b/',
      '/a/b',
      '/a',
      '/a',
      'base',
    ]);
  });

  it('apply to a path both by a prefix in other capitals and by its exact spelling', () => {
    const domain = domainOf(['/Admin', '/admin/open', '/x']);
    expect(domain?.findPolicies(listed(['/admin/y']))).toEqual(['base', '/Admin']);
    expect(domain?.findPolicies(listed(['/Admin/y', '/admin/y']))).toEqual(['/Admin', 'base']);
    expect(domain?.findPolicies(listed(['/admin/open']))).toEqual(['/admin/open']);
    expect(domain?.findPolicies(listed(['/x']))).toEqual(['/x']);
  });

  it('agree with a linear search', () => {
    const path = fc
      .string({ unit: fc.constantFrom('/', 'a', 'b'), maxLength: 8 })
      .map((text) => `/${text}`.replace(/\/+/g, '/'));
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 10 }), path, (prefixes, requested) => {
        const expected = prefixes
          .filter((prefix) => requested.startsWith(prefix))
          .sort((a, b) => b.length - a.length)[0];
        expect(domainOf(prefixes)?.findPolicy(requested)).toBe(expected ?? 'base');
      }),
    );
  });

  it('apply the policies of both readings of a path', () => {
    const domain = domainOf(['/admin', '/public']);
    expect(domain?.findPolicies(listed(['/public', '/admin', '/admin/x']))).toEqual(['/public', '/admin']);
  });

  it('all apply to a path that may be any path, each once, that of its first reading first', () => {
    const domain = domainOf(['/admin', '/Public', '/public/x']);
    const found = domain?.findPolicies({ texts: ['/public/x/y'], mayBeAny: true });
    expect(found?.[0]).toBe('/public/x');
    expect(found?.toSorted()).toEqual(['/Public', '/admin', '/public/x', 'base']);
  });
});

describe('an authority as long as a proxy allows', () => {
  // An algorithm that is not linear takes minutes here and times out.
  it.each(['.', '@.', 'a.', ':', ']', ',', ' ', 'é.', '%2e', '/', '[::', 'xn--a.'])(
    'of %s costs its length',
    (part) => {
      for (const end of ['x', '!', '']) expect(readHosts(part.repeat(60_000 / part.length) + end)).not.toEqual([]);
    },
  );
});

describe('the policies of a request', () => {
  const index = indexOf([['api.example.com'], ['*.example.com']]);
  it('are those of every host that its authority may be read as', () => {
    const ask = (host: string, hosts?: readonly string[]) =>
      index.findPolicies({ host, hosts, paths: listed(['/d0', '/d1']) });
    expect(ask('api.example.com')).toEqual(['/d0', 'base']);
    expect(ask('other.test')).toEqual([]);
    expect(ask('x', ['x', 'api.example.com', 'b.example.com'])).toEqual(['/d0', 'base', '/d1']);
  });
});

describe('an index of ten thousand domains', () => {
  /** Counts the lookups of a search in an index of this size, and the entries that it reads. */
  function countWork(domains: number): {
    readonly lookups: number;
    readonly entriesRead: number;
    readonly found: unknown;
  } {
    let entriesRead = 0;
    const watch = <T extends object>(entry: T): T =>
      new Proxy(entry, {
        get(target, key) {
          entriesRead += 1;
          return Reflect.get(target, key) as unknown;
        },
      });
    const index = indexOf([]);
    for (let n = 0; n < domains; n++) {
      const hosts = [
        watch({ kind: 'exact', host: `d${n}.example.com` } as const),
        watch({ kind: 'suffix', suffix: `.d${n}.example.com` } as const),
      ];
      index.add({ hosts, policy: `d${n}`, routes: [] });
    }
    entriesRead = 0;
    const lookup = vi.spyOn(Map.prototype, 'get');
    try {
      const found = index.findDomain(`x.y.d${domains - 1}.example.com`)?.findPolicy('/');
      return { lookups: lookup.mock.calls.length, entriesRead, found };
    } finally {
      lookup.mockRestore();
    }
  }

  it('is searched with as many lookups as one of ten, without reading entries', () => {
    expect(countWork(10_000)).toEqual({ ...countWork(10), found: 'd9999' });
    // The host itself, then the suffix after each of its dots until one is found.
    expect(countWork(10)).toEqual({ lookups: 3, entriesRead: 0, found: 'd9' });
  });
});
