import { expect, it } from 'vitest';
import { describeEngine } from './engine-words.ts';

it.each([
  ['api_key', { keys: [] }, 'Needs a known key in the header X-Api-Key. 0 keys.'],
  [
    'api_key',
    {
      sources: [{ name: 'X-Key' }, { source: 'query', name: 'key' }],
      keys: [{ sha256: 'x', subject: 'a', scopes: ['read'] }],
      require_scope_for_path: [{ path_prefix: '/a', scope: 's', whole_segments: true }],
      strip_credential: true,
      subject_header: 'x-subject',
    },
    'Needs a known key in the header X-Key or query parameter key. 1 key: a (read). /a and what is below it need the scope s. ' +
      'The upstream does not see the key. The upstream is told the subject in x-subject.',
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
    'Needs a token in the header Authorization, signed with RS256, ES256, verified by keys/set.json. Issued by https://i. ' +
      'Meant for api. With the claims sub.',
  ],
  ['jwt', {}, 'Needs a token in the header Authorization, signed with ?, verified by no file yet.'],
  [
    'graphql',
    { max_depth: 8, max_operations: 1, block_introspection: true, paths: ['/graphql'] },
    'Queries of at most 8 levels, 1 operations. No introspection. Below /graphql alone.',
  ],
  [
    'graphql',
    { block_introspection: true, any_method: true, block_upgrades: true },
    'Queries of any shape. No introspection. By every method. No WebSockets.',
  ],
  [
    'graphql',
    { max_depth: 8, max_directives: 5, max_arguments: 1000, max_cost: 2000, block_incremental: true },
    'Queries of at most 8 levels, 5 directives, 1,000 arguments. That cost 2,000 at most. No @defer and no @stream.',
  ],
  ['waf', {}, 'There is no such engine.'],
])('says what %s does', (name, block, words) => {
  expect(describeEngine(name, block).join(' ')).toBe(words);
});
