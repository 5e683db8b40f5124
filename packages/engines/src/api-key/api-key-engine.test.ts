import { FakeClock } from '@flotilla/kit';
import { type ApiKeyOptions, digestApiKey } from '@flotilla/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../budget.ts';
import { createTestRequest, type TestRequest } from '../testing.ts';
import { createApiKeyEngine } from './api-key-engine.ts';

const ALWAYS = { notBeforeMs: null, expiresAtMs: null };

const KEYS = [
  { sha256: digestApiKey('reader'), subject: 'r', scopes: ['read'], ...ALWAYS },
  { sha256: digestApiKey('a b+c&d=é'), subject: 'odd', scopes: [], ...ALWAYS },
  { sha256: digestApiKey('writer'), subject: 'w', scopes: ['read', 'write'], ...ALWAYS },
];

const DEFAULTS: ApiKeyOptions = {
  sources: [{ source: 'header', name: 'x-api-key' }],
  keys: KEYS,
  bindings: [],
  stripCredential: false,
  subjectHeader: '',
};

function decide(options: Partial<ApiKeyOptions>, request: TestRequest): string {
  const engine = createApiKeyEngine({ ...DEFAULTS, ...options }, new FakeClock());
  const verdict = engine.decide(createTestRequest(request), UNLIMITED);
  return verdict.kind === 'allow'
    ? `allow ${verdict.grant?.subject}`
    : `${verdict.status} ${verdict.reason} ${verdict.severity}`;
}

const MISSING = '403 apikey.missing high';
const UNKNOWN = '403 apikey.unknown high';
const SCOPE = '403 apikey.scope high';

describe('a key in a header', () => {
  it.each<[string, [string, string][], string]>([
    ['no header', [], MISSING],
    ['an empty header', [['x-api-key', '']], MISSING],
    [
      'empty headers',
      [
        ['x-api-key', ''],
        ['x-api-key', ''],
      ],
      MISSING,
    ],
    ['a known key', [['x-api-key', 'reader']], 'allow r'],
    ['a name in other case', [['X-API-KEY', 'reader']], 'allow r'],
    ['an unknown key', [['x-api-key', 'Reader']], UNKNOWN],
    ['the digest itself', [['x-api-key', digestApiKey('reader')]], UNKNOWN],
    [
      'the same key twice',
      [
        ['x-api-key', 'reader'],
        ['x-api-key', 'reader'],
      ],
      'allow r',
    ],
    [
      'two known keys',
      [
        ['x-api-key', 'reader'],
        ['x-api-key', 'writer'],
      ],
      UNKNOWN,
    ],
    [
      'an unknown key behind a known one',
      [
        ['x-api-key', 'reader'],
        ['x-api-key', 'nope'],
      ],
      UNKNOWN,
    ],
    [
      'an empty line beside a known key',
      [
        ['x-api-key', ''],
        ['x-api-key', 'reader'],
      ],
      UNKNOWN,
    ],
    ['a list in one line', [['x-api-key', 'reader, reader']], UNKNOWN],
    ['the key in another header', [['authorization', 'reader']], MISSING],
  ])('%s', (_, headers, expected) => expect(decide({}, { headers })).toBe(expected));

  it('does not look at the query', () => expect(decide({}, { target: '/?x-api-key=reader' })).toBe(MISSING));
});

describe('a key in the query', () => {
  it.each([
    ['/', MISSING],
    ['/?key', MISSING],
    ['/?key=', MISSING],
    ['/?key=reader', 'allow r'],
    ['/?a=1&key=reader&b', 'allow r'],
    ['/?k%65y=%72eader', 'allow r'],
    ['/?key=a+b%2Bc%26d=%C3%A9', 'allow odd'],
    ['/?KEY=reader', MISSING],
    ['/?key=reader&key=reader', 'allow r'],
    ['/?key=reader&key=writer', UNKNOWN],
    ['/?key=&key=reader', UNKNOWN],
    ['/?%zz=%&key=reader', 'allow r'],
    ['/?;&&=&key=reader&=', 'allow r'],
    ['/?key=reader%', UNKNOWN],
    ['/?key=reader;x=1', UNKNOWN],
    ['/?a=1;key=reader', MISSING],
    ['/?key=reader#x', 'allow r'],
    ['/#?key=reader', MISSING],
    ['/?a?key=reader', MISSING],
  ])('%s', (target, expected) =>
    expect(decide({ sources: [{ source: 'query', name: 'key' }] }, { target })).toBe(expected),
  );

  it('agrees with URLSearchParams wherever a parameter is given once and well formed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 5 }),
        fc.constantFrom('reader', 'nope', ''),
        (others, key) => {
          const query = new URLSearchParams([...others.filter(([name]) => name !== 'key'), ['key', key]]).toString();
          const expected = key === 'reader' ? 'allow r' : key === '' ? MISSING : UNKNOWN;
          expect(decide({ sources: [{ source: 'query', name: 'key' }] }, { target: `/?${query}` })).toBe(expected);
        },
      ),
    );
  });
});

describe('scope bindings', () => {
  const bindings = [
    { pathPrefix: '/admin', scope: 'read', wholeSegments: false },
    { pathPrefix: '/admin/write/', scope: 'write', wholeSegments: false },
  ];
  const as = (key: string, target: string) => decide({ bindings }, { target, headers: [['x-api-key', key]] });

  it('ask for the scope of every binding whose prefix matches', () => {
    expect(as('reader', '/admin')).toBe('allow r');
    expect(as('reader', '/admin/write/x')).toBe(SCOPE);
    expect(as('writer', '/admin/write/x')).toBe('allow w');
    expect(as('a b+c&d=é', '/open')).toBe('allow odd');
  });

  it('are plain prefixes', () => {
    expect(as('a b+c&d=é', '/administrator')).toBe(SCOPE);
    expect(as('reader', '/admin/write')).toBe('allow r');
  });

  it.each([
    '//admin',
    '/%61dmin',
    '/./admin',
    '/x/../admin',
    '/%2e/admin',
    '/x/%2e%2e/admin',
    '/%2Fadmin',
    '/x%2f..%2fadmin',
    '/\\admin',
    '/x/..;/admin',
    '/%2561dmin',
    '/x%5c..%5cadmin',
    '/admin%',
    '/admin%zz',
    '/admin;x',
    '/admin/../admin',
    '/admin/../public',
    'http://api.example.com/admin',
    '/admin#x',
    '/admin?y',
    '/x/../admin/%2e%2e/public',
    '/public/..%252f..%252fadmin',
  ])('are not bypassed by %s', (target) => expect(as('a b+c&d=é', target)).toBe(SCOPE));

  it('are tested after the key itself', () => {
    expect(decide({ bindings }, { target: '/admin' })).toBe(MISSING);
    expect(as('nope', '/admin')).toBe(UNKNOWN);
  });
});
