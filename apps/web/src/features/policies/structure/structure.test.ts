import { describe, expect, it } from 'vitest';
import { readStructure } from './structure.ts';

const TEXT = `kind: SecurityPolicy
spec:
  defaults: { fail_mode: fail_open }
  domains:
    - hosts: [a.example.com, "*.b.example.com"]
      policy:
        engines:
          api_key:
            keys:
              - { sha256: x, subject: till-7, scopes: [read] }
            require_scope_for_path:
              - { path_prefix: /admin/, scope: admin }
          rate_limit: { requests_per_second: 50, burst: 100 }
      routes:
        - match: { path_prefix: /health }
          policy: { engines: { api_key: null } }
        - match: { path_prefix: /search }
          policy:
            mode: detect
            engines: { rate_limit: { requests_per_second: 0.5, key: header, header: X-User } }
`;

describe('the structure of a policy', () => {
  const parsed = readStructure(TEXT);
  if (!parsed.ok) throw new Error('the text is not a policy');
  const { defaults, domains } = parsed.structure;

  it('has the defaults, also those that are not written', () => {
    expect(defaults).toEqual({ line: 3, mode: 'block', failMode: 'fail_open' });
    expect(domains).toMatchObject([{ line: 5, mode: 'block', hosts: ['a.example.com', '*.b.example.com'] }]);
  });

  it('describes engines and has their lines', () => {
    expect(domains[0]?.engines).toEqual([
      {
        name: 'api_key',
        line: 8,
        origin: 'own',
        words: [
          'Requires a valid key in the header X-Api-Key.',
          '1 key: till-7 (read).',
          'Paths that begin with /admin/ require the scope admin.',
        ],
      },
      {
        name: 'rate_limit',
        line: 13,
        origin: 'own',
        words: ['50 requests per second for each client address, up to 100 at once.'],
      },
    ]);
  });

  it('has the engines that a route switches off, inherits and sets', () => {
    const engines = domains[0]?.routes.map((route) => [
      route.prefix,
      route.line,
      route.mode,
      ...route.engines.map(({ name, origin }) => `${name} ${origin}`),
    ]);
    expect(engines).toEqual([
      ['/health', 15, 'block', 'api_key off', 'rate_limit inherited'],
      ['/search', 17, 'detect', 'rate_limit own', 'api_key inherited'],
    ]);
    expect(domains[0]?.routes[1]?.engines[0]?.words).toEqual([
      '0.5 requests per second for each value of the header X-User, up to 1 at once.',
    ]);
  });

  it('resolves aliases', () => {
    const aliased = readStructure('spec:\n  domains:\n    - &d { hosts: [a] }\n    - *d\n');
    expect(aliased.ok && aliased.structure.domains.map(({ hosts }) => hosts)).toEqual([['a'], ['a']]);
  });
});

it('has the line of the error in an invalid text', () => {
  expect(readStructure('a: 1\nspec: [\n')).toMatchObject({ ok: false, problems: [{ line: 3 }] });
  expect(readStructure('just words')).toMatchObject({ ok: false, problems: [{ line: 1 }] });
});
