import { expect, it } from 'vitest';
import { describeEngine } from './engine-words.ts';

it.each([
  ['api_key', { keys: [] }, 'Requires a valid key in the header X-Api-Key. 0 keys.'],
  [
    'api_key',
    {
      sources: [{ name: 'X-Key' }, { source: 'query', name: 'key' }],
      keys: [{ sha256: 'x', subject: 'a', scopes: ['read'] }],
      require_scope_for_path: [{ path_prefix: '/a', scope: 's', whole_segments: true }],
      strip_credential: true,
      subject_header: 'x-subject',
    },
    'Requires a valid key in the header X-Key or query parameter key. 1 key: a (read). /a and everything below it require the scope s. ' +
      'The upstream does not see the key. The upstream gets the subject in x-subject.',
  ],
  [
    'jwt',
    {
      algorithms: ['RS256', 'ES256'],
      jwks_file: 'keys/set.json',
      issuer: 'https://i',
      audience: 'api',
      required_claims: ['sub'],
    },
    'Requires a token in the header Authorization, signed with RS256, ES256, verified by keys/set.json. Issued by https://i. ' +
      'Audience api. With the claims sub.',
  ],
  [
    'api_key',
    {
      keys: [
        { key: 'x', subject: 'a', methods: ['GET', 'HEAD'], requests_per_second: 0.5 },
        { key: 'y', scopes: ['read'], requests_per_second: 5, burst: 10 },
      ],
    },
    'Requires a valid key in the header X-Api-Key. 2 keys: a (GET HEAD only, 0.5 per second); unnamed (read, 5 per second).',
  ],
  [
    'jwt',
    {
      algorithms: ['RS256'],
      jwks_file: 'set.json',
      max_age: '15m',
      type: 'at+jwt',
      require_claims_for_path: [
        { path_prefix: '/a', claim: 'scope', any_of: ['x', 'y'] },
        { path_prefix: '/b', claim: 'roles', any_of: ['z'], whole_segments: true },
      ],
    },
    'Requires a token in the header Authorization, signed with RS256, verified by set.json. At most 15m old. ' +
      'Type at+jwt. Paths that begin with /a require x or y in scope. /b and everything below it require z in roles.',
  ],
  ['jwt', {}, 'Requires a token in the header Authorization, signed with ?, verified by no file yet.'],
  [
    'graphql',
    { max_depth: 8, max_operations: 1, block_introspection: true, paths: ['/graphql'] },
    'Queries with at most 8 levels, 1 operations. No introspection. Only below /graphql.',
  ],
  [
    'graphql',
    { block_introspection: true, any_method: true, block_upgrades: true },
    'Queries of any shape. No introspection. With every method. No WebSockets.',
  ],
  ['graphql', { max_aliases: 5, block_upgrades: false }, 'Queries with at most 5 aliases. WebSockets are allowed.'],
  [
    'graphql',
    {
      max_depth: 8,
      max_directives: 5,
      max_arguments: 1000,
      max_cost: 2000,
      block_incremental: true,
      trusted_documents_file: 'files/a.json',
    },
    'Queries with at most 8 levels, 5 directives, 1,000 arguments. Only the documents in files/a.json. Cost at most 2,000. No @defer and no @stream.',
  ],
  ['waf', {}, 'Unknown engine.'],
])('%s is described in words', (name, block, words) => {
  expect(describeEngine(name, block).join(' ')).toBe(words);
});
