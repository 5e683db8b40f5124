import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadPolicyFiles } from './load.ts';
import type { LoadProblem } from './problem.ts';

const HEAD = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: demo }
`;

function problemsOf(content: string | Uint8Array, path = 'policy.yaml'): LoadProblem[] {
  const loaded = loadPolicyFiles([{ path, content }]);
  return loaded.ok ? [] : loaded.error;
}

function field(meant: string | undefined): string {
  return `is not a field of this document${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

function withEngines(engines: string): string {
  return `${HEAD}spec:
  domains:
    - hosts: [api.example.com]
      policy:
        engines:
${engines.replace(/^/gm, '          ')}
`;
}

describe('load errors of the specification', () => {
  const DIGEST = 'a'.repeat(64);
  const cases: { name: string; engines: string; rule: string; field: string; line: number }[] = [
    {
      name: 'duplicate api_key digests, also when one is written as a raw key',
      engines:
        'api_key:\n  keys:\n    - key: secret-one\n    - sha256: 8F7F8F2E80CD2E7E1F7F5F6FA0E0CA4C2E2A0C2A11C4E84DDB8F4C5B0E4B5E62\n    - key: secret-one',
      rule: 'api_key.duplicate_digest',
      field: 'api_key.keys[2].key',
      line: 13,
    },
    {
      name: 'api_key with no keys',
      engines: 'api_key:\n  keys: []',
      rule: 'api_key.no_keys',
      field: 'api_key.keys',
      line: 10,
    },
    {
      name: 'api_key without a list of keys',
      engines: 'api_key:\n  name: X-Key',
      rule: 'schema.required',
      field: 'api_key.keys',
      line: 9,
    },
    {
      name: 'a key entry with neither sha256 nor key',
      engines: `api_key:\n  keys:\n    - sha256: ${DIGEST}\n    - subject: nobody`,
      rule: 'api_key.no_credential',
      field: 'api_key.keys[1]',
      line: 12,
    },
    {
      name: 'a digest that is not 64 hex digits',
      engines: 'api_key:\n  keys:\n    - sha256: abc',
      rule: 'api_key.sha256',
      field: 'api_key.keys[0].sha256',
      line: 11,
    },
    {
      name: 'requests_per_second of 0',
      engines: 'rate_limit:\n  requests_per_second: 0',
      rule: 'rate_limit.rate',
      field: 'rate_limit.requests_per_second',
      line: 10,
    },
    {
      name: 'a negative requests_per_second',
      engines: 'rate_limit:\n  requests_per_second: -0.5',
      rule: 'rate_limit.rate',
      field: 'rate_limit.requests_per_second',
      line: 10,
    },
    {
      name: 'an infinite requests_per_second',
      engines: 'rate_limit:\n  requests_per_second: .inf',
      rule: 'schema.type',
      field: 'rate_limit.requests_per_second',
      line: 10,
    },
    {
      name: 'a negative burst',
      engines: 'rate_limit:\n  requests_per_second: 1\n  burst: -1',
      rule: 'schema.too_small',
      field: 'rate_limit.burst',
      line: 11,
    },
    {
      name: 'key header without a header field',
      engines: 'rate_limit:\n  requests_per_second: 1\n  key: header',
      rule: 'rate_limit.header',
      field: 'rate_limit.header',
      line: 9,
    },
    { name: 'an unknown engine', engines: 'waf: {}', rule: 'schema.unknown_field', field: 'waf', line: 9 },
    {
      name: 'an unknown field',
      engines: 'rate_limit:\n  requests_per_second: 1\n  brust: 3',
      rule: 'schema.unknown_field',
      field: 'rate_limit.brust',
      line: 11,
    },
  ];
  it.each(cases)('$name is refused at its place', ({ engines, rule, field, line }) => {
    const problems = problemsOf(withEngines(engines));
    expect(problems).toEqual([
      expect.objectContaining({ file: 'policy.yaml', rule, line, field: `spec.domains[0].policy.engines.${field}` }),
    ]);
  });

  it('are listed for all files together, with line and column', () => {
    const loaded = loadPolicyFiles([
      { path: 'a.yaml', content: withEngines('rate_limit: { requests_per_second: 0, burst: x }') },
      {
        path: 'b.yaml',
        content: 'apiVersion: other/v1\nkind: Secret\nmetadata: {}\nspec: { domains: [{ hosts: [] }] }\n',
      },
      { path: 'c.yaml', content: ':\n  - [' },
    ]);
    expect(loaded.ok ? [] : loaded.error.map((p) => `${p.file}:${p.line}:${p.column} ${p.field} ${p.rule}`)).toEqual([
      'a.yaml:9:46 spec.domains[0].policy.engines.rate_limit.requests_per_second rate_limit.rate',
      'a.yaml:9:56 spec.domains[0].policy.engines.rate_limit.burst schema.type',
      'b.yaml:1:13 apiVersion schema.value',
      'b.yaml:2:7 kind schema.value',
      'b.yaml:3:1 metadata.name schema.required',
      'b.yaml:4:28 spec.domains[0].hosts schema.too_small',
      expect.stringMatching(/^c\.yaml:\d+:\d+ {2}file\.syntax$/),
    ]);
  });

  it.each([
    ['an engine', withEngines('rate_limt: { requests_per_second: 1 }'), 'is not an engine; did you mean rate_limit?'],
    ['an engine in capitals', withEngines('JWT: {}'), 'is not an engine; did you mean jwt?'],
    ['another engine', withEngines('waf: {}'), 'is not an engine'],
    ['a field of an engine', withEngines('rate_limit: { requests_per_second: 1, brust: 2 }'), field('burst')],
    ['a field in a list', withEngines('api_key: { keys: [{ sha265: x }] }'), field('sha256')],
    ['a field of the spec', `${HEAD}spec: { defaults: { failMode: fail_open }, domains: [] }`, field('fail_mode')],
    ['a field of a domain', `${HEAD}spec: { domains: [{ host: [a.example.com] }] }`, field('hosts')],
    [
      'a field of a route',
      `${HEAD}spec: { domains: [{ hosts: [a.example.com], routes: [{ macth: {} }] }] }`,
      field('match'),
    ],
    ['a field unlike any', `${HEAD}spec: { rules: [], domains: [] }`, 'is not a field of this document'],
    ['a short field', `${HEAD}spec: { domains: [{ hosts: [a.example.com], policy: { m: block } }] }`, field(undefined)],
  ])('suggests the name that was meant: %s', (_, text, message) => {
    expect(problemsOf(text).filter(({ rule }) => rule === 'schema.unknown_field')).toEqual([
      expect.objectContaining({ message }),
    ]);
  });

  it('require a body limit beside body inspection', () => {
    const text = `${HEAD}spec: { defaults: { inspect_request_body: true }, domains: [] }`;
    expect(problemsOf(text)[0]).toMatchObject({
      rule: 'body.cap_missing',
      field: 'spec.defaults.inspect_request_body',
    });
    expect(problemsOf(text.replace('true }', 'true, max_request_body_bytes: 1024 }'))).toEqual([]);
  });

  it('reject a host that two domains of two files cover, in any spelling', () => {
    const domain = (host: string) => `${HEAD}spec: { domains: [{ hosts: ["${host}"] }] }`;
    const loaded = loadPolicyFiles([
      { path: 'a.yaml', content: domain('API.example.com.') },
      {
        path: 'b.json',
        content: JSON.stringify({
          apiVersion: 'flotilla.dev/v1',
          kind: 'SecurityPolicy',
          metadata: { name: 'b' },
          spec: { domains: [{ hosts: ['api.example.com'] }] },
        }),
      },
    ]);
    expect(loaded.ok ? [] : loaded.error).toEqual([
      expect.objectContaining({
        file: 'b.json',
        rule: 'host.duplicate',
        message: 'api.example.com is already covered at a.yaml:4',
      }),
    ]);
  });

  it("name the other entry of a host by its field if both are in one file, whose name here may not be the author's", () => {
    const text = `${HEAD}spec:\n  domains:\n    - hosts: [a.example.com]\n    - hosts: [b.example.com, A.example.com]\n`;
    expect(problemsOf(text)).toEqual([
      expect.objectContaining({
        line: 7,
        field: 'spec.domains[1].hosts[1]',
        message: 'a.example.com is already covered by spec.domains[0].hosts[0]',
      }),
    ]);
  });

  it('reject two routes of a domain with equal prefixes', () => {
    const text = `${HEAD}spec:
  domains:
    - hosts: ["*"]
      routes:
        - { match: { path_prefix: /admin/ }, policy: {} }
        - { match: { path_prefix: //%61dmin/./ }, policy: {} }
`;
    expect(problemsOf(text)).toEqual([expect.objectContaining({ rule: 'route.duplicate', line: 9 })]);
  });
});

describe('ambiguous texts', () => {
  const valid = `${HEAD}spec: { domains: [] }\n`;
  const cases: { name: string; content: string | Uint8Array; rule: string; path?: string }[] = [
    { name: 'a second document', content: `${valid}---\n${valid}`, rule: 'file.multiple_documents' },
    { name: 'an empty file', content: '# nothing\n', rule: 'file.empty' },
    { name: 'a duplicate key', content: `${valid}kind: SecurityPolicy\n`, rule: 'file.duplicate_key' },
    { name: 'a duplicate JSON key', content: '{"kind":1,"kind":2}', rule: 'file.duplicate_key', path: 'p.json' },
    { name: 'YAML in a .json file', content: valid, rule: 'file.syntax', path: 'p.json' },
    { name: 'another encoding', content: Buffer.from(valid, 'utf16le'), rule: 'file.encoding' },
    { name: 'bytes that are not UTF-8', content: Buffer.from([0x61, 0xff, 0x62]), rule: 'file.encoding' },
    { name: 'a huge file', content: new Uint8Array(17 * 1024 * 1024), rule: 'file.too_large' },
    { name: 'YAML 1.1', content: `%YAML 1.1\n---\n${valid}`, rule: 'file.yaml_version' },
    { name: 'a tag', content: valid.replace('demo', '!!js/function demo'), rule: 'file.syntax' },
    { name: 'deep nesting', content: `${'['.repeat(20_000)}${']'.repeat(20_000)}`, rule: 'file.depth' },
    { name: 'deep nesting without an end', content: '['.repeat(200_000), rule: 'file.depth' },
    { name: 'an undefined alias', content: `${HEAD}spec: *nowhere\n`, rule: 'file.aliases' },
    { name: 'a list at the top', content: '- 1\n', rule: 'schema.type' },
    {
      name: 'an alias bomb',
      content: `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n`,
      rule: 'file.aliases',
    },
  ];
  it.each(cases)('$name is refused', ({ content, rule, path }) => {
    expect(problemsOf(content, path).map((problem) => problem.rule)).toContain(rule);
  });

  it('with tens of thousands of members are reported with the invalid and duplicate ones', () => {
    const members = Array.from({ length: 20_000 }, (_, n) => `    k${n}: 1`);
    const text = `${HEAD}spec:\n  defaults:\n${members.join('\n')}\n  domains: []\n`;
    const unknown = problemsOf(text);
    expect(new Set(unknown.map(({ rule }) => rule))).toEqual(new Set(['schema.unknown_field']));
    const first = unknown[0]?.line ?? 0;
    expect(unknown.map(({ line }) => line)).toEqual(unknown.map((_, n) => first + n));
    const again = text.replace('  domains:', '    k7: 2\n    "k19999": 2\n  domains:');
    expect(problemsOf(again)).toEqual([
      expect.objectContaining({ rule: 'file.duplicate_key', line: first + 20_000, column: 5 }),
      expect.objectContaining({ rule: 'file.duplicate_key', line: first + 20_001, column: 5 }),
    ]);
  });

  it('with yes, no and on are read as text, with a warning', () => {
    const text = `${HEAD}spec: { defaults: { inspect_request_body: yes }, domains: [] }`;
    expect(problemsOf(text)[0]?.message).toBe('must be true or false (YAML 1.2: yes, no, on and off are text)');
  });

  it('with a merge key are not treated as inheritance', () => {
    const text = withEngines('rate_limit:\n  <<: { requests_per_second: 5 }\n  requests_per_second: 5');
    expect(problemsOf(text)).toEqual([expect.objectContaining({ rule: 'schema.unknown_field' })]);
  });

  it('with a member called __proto__ are checked completely', () => {
    expect(problemsOf(withEngines('__proto__: {}')).map((p) => p.rule)).toEqual(['schema.unknown_field']);
    expect(problemsOf(`${valid}__proto__: { kind: x }\n`).map((p) => p.rule)).toEqual(['schema.unknown_field']);
  });

  it('with a raw key are never quoted', () => {
    const text = withEngines(
      'api_key:\n  keys:\n    - key: s3cr3t-value\n      sha256: s3cr3t-value\n    - key: " s3cr3t-value"\n    - s3cr3t-value',
    );
    const problems = problemsOf(text);
    expect(problems.length).toBeGreaterThan(2);
    expect(JSON.stringify(problems)).not.toContain('s3cr3t');
    expect(JSON.stringify(problemsOf('{"key": s3cr3t', 'p.json'))).not.toContain('s3cr3t');
  });

  it('in which an alias repeats a raw key as a subject are rejected', () => {
    const keys = (subject: string) =>
      withEngines(`api_key:\n  keys:\n    - key: &k secret-one\n      subject: ${subject}`);
    expect(problemsOf(keys('somebody'))).toEqual([]);
    expect(problemsOf(keys('*k'))).toEqual([
      expect.objectContaining({ rule: 'api_key.key', line: 11, message: expect.stringContaining('repeated') }),
    ]);
  });

  it('with a raw key behind an alias are rejected', () => {
    const text = withEngines('api_key:\n  keys:\n    - { subject: &s raw-key, key: *s }');
    expect(problemsOf(text)).toEqual([expect.objectContaining({ rule: 'api_key.key' })]);
  });

  it('without a policy document are rejected, and data files are ignored', () => {
    const loaded = loadPolicyFiles([
      { path: 'policy.yml', content: valid },
      { path: 'files/keys.json', content: 'not json' },
      { path: 'notes.txt', content: new Uint8Array([0xff]) },
    ]);
    expect(loaded.ok).toBe(true);
    expect(problemsOf('x', 'files/policy.yaml').map((p) => p.rule)).toEqual(['bundle.empty']);
  });
});

describe('any input', () => {
  it('gives a policy or problems with a place, never an exception', () => {
    const junk = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('a', ':', ' ', '\n', '-', '{', '[', '&', '*', '!', '|', '"', '%', '#') }),
    );
    fc.assert(
      fc.property(junk, fc.constantFrom('p.yaml', 'p.json'), (content, path) => {
        for (const problem of problemsOf(content, path)) expect(problem.line).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  it('with any value in place of any member of a valid document is handled', () => {
    const good = {
      apiVersion: 'flotilla.dev/v1',
      kind: 'SecurityPolicy',
      metadata: { name: 'p' },
      spec: {
        defaults: { mode: 'block', fail_mode: 'fail_open', inspect_request_body: true, max_request_body_bytes: 1 },
        domains: [
          {
            hosts: ['*'],
            policy: {
              mode: 'detect',
              engines: {
                api_key: {
                  source: 'query',
                  name: 'k',
                  keys: [{ key: 'a', subject: 's', scopes: ['x'] }],
                  require_scope_for_path: [{ path_prefix: '/', scope: 'x' }],
                },
              },
            },
            routes: [
              {
                match: { path_prefix: '/' },
                policy: { engines: { rate_limit: { requests_per_second: 1, burst: 2, key: 'header', header: 'h' } } },
              },
            ],
          },
        ],
      },
    };
    expect(problemsOf(JSON.stringify(good), 'p.json')).toEqual([]);
    /** Every path to a member of the document. */
    const paths = (value: unknown): string[][] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, member]) => [[key], ...paths(member).map((path) => [key, ...path])])
        : [];
    const replace = (value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown => {
      if (key === undefined || typeof value !== 'object' || value === null) return by;
      const member = replace(Reflect.get(value, key), rest, by);
      return Array.isArray(value)
        ? value.map((item, n) => (String(n) === key ? member : item))
        : { ...value, [key]: member };
    };
    fc.assert(
      fc.property(fc.constantFrom(...paths(good)), fc.jsonValue(), (path, by) => {
        const text = JSON.stringify(replace(good, path, by));
        for (const problem of problemsOf(text, 'p.json')) expect(problem.rule).toMatch(/^[a-z_]+\.[a-z0-9_]+$/);
      }),
      { numRuns: 2000 },
    );
  });
});
