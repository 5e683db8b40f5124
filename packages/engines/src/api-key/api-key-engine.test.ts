import { FakeClock } from '@flotilla/kit';
import { type ApiKeyOptions, digestApiKey } from '@flotilla/policy';
import { UNLISTED_PATH } from '@flotilla/policy/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AlikeNames } from '../alike-names.ts';
import { UNLIMITED } from '../budget.ts';
import { createTestRequest, type TestRequest } from '../testing.ts';
import { createApiKeyEngine } from './api-key-engine.ts';

const ALWAYS = { notBeforeMs: null, expiresAtMs: null, methods: [], limit: null };

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

  it('ignores the query', () => expect(decide({}, { target: '/?x-api-key=reader' })).toBe(MISSING));
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

  it('agrees with URLSearchParams if a parameter occurs once and is well formed', () => {
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

  it('require the scope of every binding whose prefix matches', () => {
    expect(as('reader', '/admin')).toBe('allow r');
    expect(as('reader', '/admin/write/x')).toBe(SCOPE);
    expect(as('writer', '/admin/write/x')).toBe('allow w');
    expect(as('a b+c&d=é', '/open')).toBe('allow odd');
  });

  it('require all scopes if the path may be any path', () => {
    expect(as('reader', UNLISTED_PATH)).toBe(SCOPE);
    expect(as('writer', UNLISTED_PATH)).toBe('allow w');
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
    '/ADMIN',
    '/%41dmin',
  ])('are not bypassed by %s', (target) => expect(as('a b+c&d=é', target)).toBe(SCOPE));

  it('with capitals protect every spelling of their prefix', () => {
    const guarded = [{ pathPrefix: '/Admin/Area', scope: 'admin', wholeSegments: false }];
    for (const target of ['/Admin/Area', '/admin/area', '/ADMIN/AREA/x', '/%41dmin//area'])
      expect(decide({ bindings: guarded }, { target, headers: [['x-api-key', 'reader']] })).toBe(SCOPE);
  });

  it('are checked after the key itself', () => {
    expect(decide({ bindings }, { target: '/admin' })).toBe(MISSING);
    expect(as('nope', '/admin')).toBe(UNKNOWN);
  });
});

describe('a binding for whole segments', () => {
  it.each([
    [
      '/admin',
      ['/admin', '/admin/', '/admin/x', '//admin', '/x/../admin', '/admin;x'],
      ['/administrator', '/adm', '/', '/admin-x'],
    ],
    [
      '/admin',
      // Rails treats the part after a dot as a format, and serves `/admin` for all of these.
      ['/admin.json', '/admin.x/', '/Admin.xml', '/admin%2ejson', '/admin%252ejson'],
      [],
    ],
    ['/admin/', ['/admin', '/admin/', '/admin/x', '/%61dmin'], ['/administrator', '/adm', '/']],
    ['/', ['/', '/x', ''], []],
  ])('%s protects the path itself and everything below, and nothing beside it', (pathPrefix, guarded, open) => {
    const bindings = [{ pathPrefix, scope: 'admin', wholeSegments: true }];
    const as = (target: string) => decide({ bindings }, { target, headers: [['x-api-key', 'reader']] });
    expect(guarded.filter((target) => as(target) !== SCOPE)).toEqual([]);
    expect(open.filter((target) => as(target) === SCOPE)).toEqual([]);
  });
});

describe('a key in several places', () => {
  const sources: ApiKeyOptions['sources'] = [
    { source: 'header', name: 'x-api-key' },
    { source: 'query', name: 'key' },
    { source: 'header', name: 'x-token' },
  ];

  it.each<[string, TestRequest, string]>([
    ['nowhere', {}, MISSING],
    ['empty everywhere', { target: '/?key=', headers: [['x-token', '']] }, MISSING],
    ['in the first', { headers: [['x-api-key', 'reader']] }, 'allow r'],
    ['in the query', { target: '/?key=reader' }, 'allow r'],
    ['in the last', { headers: [['x-token', 'reader']] }, 'allow r'],
    ['in two that agree', { target: '/?key=reader', headers: [['x-token', 'reader']] }, 'allow r'],
    ['in two that differ', { target: '/?key=writer', headers: [['x-token', 'reader']] }, UNKNOWN],
    ['in one, and an unknown one in another', { target: '/?key=nope', headers: [['x-api-key', 'reader']] }, UNKNOWN],
    ['in one, and empty in another', { target: '/?key=', headers: [['x-api-key', 'reader']] }, UNKNOWN],
    ['behind one more question mark (attack 7)', { target: '/??key=reader' }, MISSING],
    ['in two that agree, one behind a question mark (attack 7)', { target: '/??key=reader&key=reader' }, 'allow r'],
    ['in one, and another behind a question mark (attack 7)', { target: '/??key=writer&key=reader' }, UNKNOWN],
    ['in one, and another in capitals (attack 7)', { target: '/?KEY=writer&key=reader' }, UNKNOWN],
    ['in one, and another behind `;` (attack 7)', { target: '/?a=1;key=writer&key=reader' }, UNKNOWN],
    [
      'in a header, and another behind a question mark (attack 7)',
      { target: '/??key=writer', headers: [['x-api-key', 'reader']] },
      UNKNOWN,
    ],
    ['in no configured place', { headers: [['authorization', 'reader']] }, MISSING],
  ])('%s', (_, request, expected) => expect(decide({ sources }, request)).toBe(expected));
});

describe('a key with a validity period', () => {
  const START = Date.UTC(2026, 0, 1);
  const clock = new FakeClock(START);
  const entry = (key: string, notBeforeMs: number | null, expiresAtMs: number | null) => ({
    sha256: digestApiKey(key),
    subject: key,
    scopes: [],
    methods: [],
    limit: null,
    notBeforeMs,
    expiresAtMs,
  });
  const keys = [entry('later', START + 1000, null), entry('ends', null, START + 1000), entry('always', null, null)];
  const bindings = [{ pathPrefix: '/admin', scope: 'admin', wholeSegments: false }];
  const engine = createApiKeyEngine({ ...DEFAULTS, keys, bindings }, clock);
  const ask = (key: string, target = '/') => {
    const request = createTestRequest({ target, headers: [['x-api-key', key]] });
    const verdict = engine.decide(request, UNLIMITED);
    return verdict.kind === 'allow' ? 'allow' : `${verdict.reason} ${verdict.subject}`;
  };

  it('is valid from its first moment until just before its last', () => {
    expect([ask('later'), ask('ends'), ask('always')]).toEqual(['apikey.expired later', 'allow', 'allow']);
    clock.advance(999);
    expect([ask('later'), ask('ends'), ask('always')]).toEqual(['apikey.expired later', 'allow', 'allow']);
    clock.advance(1);
    expect([ask('later'), ask('ends'), ask('always')]).toEqual(['allow', 'apikey.expired ends', 'allow']);
    clock.advance(-1000);
    expect([ask('later'), ask('ends'), ask('always')]).toEqual(['apikey.expired later', 'allow', 'allow']);
  });

  it('reports its validity period', () => {
    const request = createTestRequest({ headers: [['x-api-key', 'later']] });
    expect(engine.decide(request, UNLIMITED)).toMatchObject({
      detail: 'the key counts from 2026-01-01T00:00:01.000Z',
    });
  });

  it('is reported as expired before its scopes are checked', () => {
    expect(ask('later', '/admin')).toBe('apikey.expired later');
    expect(ask('always', '/admin')).toBe('apikey.scope always');
  });
});

describe('the handling of a credential', () => {
  const sources: ApiKeyOptions['sources'] = [
    { source: 'header', name: 'x-api-key' },
    { source: 'query', name: 'key' },
  ];
  const compile = (options: Partial<ApiKeyOptions>) => createApiKeyEngine({ ...DEFAULTS, ...options }, new FakeClock());
  const grantOf = (options: Partial<ApiKeyOptions>, key = 'reader') => {
    const verdict = compile(options).decide(createTestRequest({ headers: [['x-api-key', key]] }), UNLIMITED);
    return verdict.kind === 'allow' ? verdict.grant : undefined;
  };

  it('is nothing by default: the upstream sees it, and nothing is withheld', () => {
    expect(grantOf({})).toEqual({ subject: 'r' });
    expect(compile({}).withheld).toBeUndefined();
  });

  it('removes it from every place, even if it was not valid', () => {
    const stripped = { removeHeaders: ['x-api-key'], removeQueryParameter: 'key' };
    expect(grantOf({ sources, stripCredential: true })).toEqual({ subject: 'r', ...stripped });
    expect(compile({ sources, stripCredential: true }).withheld).toEqual(stripped);
  });

  it('sets the subject header and removes the client’s, also if there is no subject', () => {
    const keys = [...KEYS, { sha256: digestApiKey('nobody'), subject: '', scopes: [], ...ALWAYS }];
    const options = { keys, subjectHeader: 'x-user' };
    expect(grantOf(options)).toEqual({
      subject: 'r',
      ownHeaders: new AlikeNames(['x-user']),
      setHeaders: [['x-user', 'r']],
    });
    expect(grantOf(options, 'nobody')).toEqual({ ownHeaders: new AlikeNames(['x-user']) });
    expect(compile(options).withheld).toEqual({ ownHeaders: new AlikeNames(['x-user']) });
  });

  it('removes header names that an upstream cannot distinguish from the subject header', () => {
    const own = compile({ subjectHeader: 'x-user_id' }).withheld?.ownHeaders;
    // Caddy passes dots on, and PHP turns them into underscores; lighttpd does the same with any sign.
    expect(['x-user_id', 'x_user.id', 'x!user-id', 'x-user'].map((name) => own?.has(name))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('is one precomputed grant per key', () => {
    const engine = compile({ subjectHeader: 'x-user' });
    const request = createTestRequest({ headers: [['x-api-key', 'reader']] });
    expect(engine.decide(request, UNLIMITED)).toBe(engine.decide(request, UNLIMITED));
  });

  it('names the key in the block if it lacks a scope', () => {
    const bindings = [{ pathPrefix: '/', scope: 'admin', wholeSegments: false }];
    const request = createTestRequest({ headers: [['x-api-key', 'reader']] });
    expect(compile({ bindings }).decide(request, UNLIMITED)).toMatchObject({
      reason: 'apikey.scope',
      subject: 'r',
      detail: 'needs the scope admin',
    });
  });
});
