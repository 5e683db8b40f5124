import { describe, expect, it } from 'vitest';
import { parsePolicyDocument } from './load.ts';

const KEYS = 'keys: [{ key: one }]';
const KEY_FILE = 'algorithms: [RS256], public_key_file: files/k.pem';

/** Line and field of every problem, by its message. */
function problemsOf(domain: string, route?: string): string[] {
  const content = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: demo }
spec:
  domains:
    - hosts: [api.example.com]
      policy: { engines: { ${domain} } }
${route === undefined ? '' : `      routes:\n        - match: { path_prefix: /a }\n          policy: { engines: { ${route} } }\n`}`;
  const parsed = parsePolicyDocument({ path: 'p.yaml', content });
  return parsed.ok
    ? []
    : parsed.error.map(({ line, field, rule }) => `${line} ${field.replace(/^.*engines\./, '')} ${rule}`);
}

const API_KEY = `api_key: { ${KEYS}, subject_header: X-User }`;
const JWT = `jwt: { ${KEY_FILE}, subject_header: x-user }`;
const LIMIT = 'rate_limit: { requests_per_second: 1, key: header, header: X-USER }';
const RULE = 'engine.subject_header';

describe('the header of a subject', () => {
  it.each([
    ['two engines in one place', `${API_KEY}, ${JWT}`, undefined, [`7 jwt.subject_header ${RULE}`]],
    ['a route and what it inherits', API_KEY, JWT, [`10 jwt.subject_header ${RULE}`]],
    ['a route and what it inherits, the other way', JWT, API_KEY, [`10 api_key.subject_header ${RULE}`]],
    ['a domain alone, said once for all routes', `${API_KEY}, ${JWT}`, '', [`7 jwt.subject_header ${RULE}`]],
    ['a limiter keyed by it', `${API_KEY}, ${LIMIT}`, undefined, [`7 rate_limit.header ${RULE}`]],
    ['a limiter of a route', JWT, LIMIT, [`10 rate_limit.header ${RULE}`]],
    [
      'a limiter keyed by another spelling of it',
      `${API_KEY}, ${LIMIT.replace('X-USER', 'x_user')}`,
      undefined,
      [`7 rate_limit.header ${RULE}`],
    ],
    ['an inherited limiter', LIMIT, JWT, [`10 jwt.subject_header ${RULE}`]],
    [
      'the header of another credential',
      `api_key: { ${KEYS} }`,
      `jwt: { ${KEY_FILE}, subject_header: X-Api-Key }`,
      [`10 jwt.subject_header ${RULE}`],
    ],
    [
      'the header of another credential in a list',
      `jwt: { ${KEY_FILE}, subject_header: X-Two }`,
      `api_key: { ${KEYS}, sources: [{ source: query, name: x-two }, { name: X-two }] }`,
      [`10 api_key.sources[1].name ${RULE}`],
    ],
  ])('is rejected if it is shared by %s', (_, domain, route, problems) => {
    expect(problemsOf(domain, route)).toEqual(problems);
  });

  it.each([
    ['the other is switched off', API_KEY, `api_key: null, ${JWT}`],
    ['the other is replaced', API_KEY, `api_key: { ${KEYS} }, ${JWT}`],
    ['the names differ', API_KEY, `jwt: { ${KEY_FILE}, subject_header: X-Token-User }`],
    ['the limiter has another key', API_KEY, 'rate_limit: { requests_per_second: 1, key: ip, header: X-User }'],
    ['the name is a query parameter', `api_key: { ${KEYS}, source: query, name: X-User }`, JWT],
  ])('is free if %s', (_, domain, route) => {
    expect(problemsOf(domain, route)).toEqual([]);
  });

  it('ignores values with another shape', () => {
    const problems = problemsOf('api_key: 7, jwt: { subject_header: [x] }, rate_limit: { key: header, header: {} }');
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.filter((problem) => problem.includes(RULE))).toEqual([]);
  });
});
