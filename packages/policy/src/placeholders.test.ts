import { expect, it } from 'vitest';
import { loadPolicyFiles } from './load.ts';
import { listPlaceholders } from './placeholders.ts';

const draft = (engines: object, match: object = { path_template: '/orders/{id}' }) =>
  JSON.stringify({
    apiVersion: 'flotilla.dev/v1',
    kind: 'SecurityPolicy',
    metadata: { name: 'shop' },
    spec: { domains: [{ hosts: ['shop.example'], routes: [{ match, policy: { engines } }] }] },
  });
const problemsOf = (content: string) => {
  const loaded = loadPolicyFiles([{ path: 'shop.json', content }]);
  return loaded.ok ? [] : loaded.error.map(({ field, rule, message }) => `${field} ${rule} ${message}`);
};
const PLACE = 'spec.domains[0].routes[0].policy.engines';

it('a policy with a placeholder is refused, and the problem names its field once', () => {
  const jwt = { issuer: 'REPLACE: issuer', algorithms: ['RS256'], jwks_file: 'REPLACE: key set' };
  expect(problemsOf(draft({ jwt })).toSorted()).toEqual([
    `${PLACE}.jwt.issuer draft.placeholder is a placeholder of a draft. Write the issuer here`,
    `${PLACE}.jwt.jwks_file draft.placeholder is a placeholder of a draft. Write the key set here`,
  ]);
  const keys = [{ sha256: 'REPLACE: digest', subject: 'till' }];
  expect(problemsOf(draft({ api_key: { keys } }))).toEqual([
    `${PLACE}.api_key.keys[0].sha256 draft.placeholder is a placeholder of a draft. Write the digest here`,
  ]);
});

it('a text that contains the mark elsewhere is no placeholder', () => {
  expect(listPlaceholders({ a: 'do REPLACE: this', REPLACE: 1, b: [null, { c: 'REPLACE: x' }] })).toEqual([
    { path: ['b', 1, 'c'], what: 'x' },
  ]);
});

it('a route has a prefix or a template, and each template once', () => {
  const limit = { rate_limit: { requests_per_second: 1 } };
  expect(problemsOf(draft(limit, { path_template: '/a/{id}' }))).toEqual([]);
  expect(problemsOf(draft(limit, {}))[0]).toContain('match.path_prefix schema.required');
  expect(problemsOf(draft(limit, { path_prefix: '/a', path_template: '/a' }))[0]).toContain('route.two_matches');
  expect(problemsOf(draft(limit, { path_template: '/a{b' }))[0]).toContain('route.template');
});
