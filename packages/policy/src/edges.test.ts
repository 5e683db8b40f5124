import { describe, expect, it } from 'vitest';
import { EDGES_FILE, loadPolicyFiles, writeEdges } from './index.ts';
import { findPolicyWarnings } from './warnings/find-policy-warnings.ts';

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: shop }
spec:
  domains:
    - hosts: [api.example.com]
      policy: { engines: { rate_limit: { requests_per_second: 6, share: fleet } } }
`;
const FILE = { path: 'shop.yaml', content: POLICY };

function edgesOf(files: Parameters<typeof loadPolicyFiles>[0]) {
  const loaded = loadPolicyFiles(files);
  return loaded.ok
    ? loaded.value.domains[0]?.policy.engines[0]?.edges
    : loaded.error.map(({ file, rule }) => `${file} ${rule}`);
}

describe('the number of proxies with a policy', () => {
  it('is stored in the bundle, by the name of the policy', () => {
    expect(edgesOf([FILE, writeEdges(new Map([['shop', 3]]))])).toBe(3);
    expect(edgesOf([FILE, writeEdges(new Map([['other', 3]]))])).toBe(1);
    expect(edgesOf([FILE])).toBe(1);
  });

  it('does not change the carry keys of a limiter, but changes the digest', () => {
    const [one, three] = [1, 3].map((count) => loadPolicyFiles([FILE, writeEdges(new Map([['shop', count]]))]));
    if (!one?.ok || !three?.ok) throw new Error('refused');
    const keysOf = (loaded: typeof one) => loaded.value.domains[0]?.policy.engines[0]?.carryKeys;
    expect(keysOf(one)).toEqual(keysOf(three));
    expect(one.value.digest).not.toBe(three.value.digest);
  });

  it.each([
    '',
    '[]',
    '{}',
    '{"edges":[]}',
    '{"edges":{"shop":0}}',
    '{"edges":{"shop":1.5}}',
    '{"edges":{"shop":"3"}}',
    '{"edges":{"shop":1e9}}',
  ])('is refused as %j', (content) => {
    expect(edgesOf([FILE, { path: EDGES_FILE, content }])).toEqual([`${EDGES_FILE} bundle.edges`]);
  });

  it('is not in a file that a policy may refer to', () => {
    const jwt = `jwt: { algorithms: [RS256], public_key_file: ${EDGES_FILE} }`;
    const content = POLICY.replace('rate_limit: { requests_per_second: 6, share: fleet }', jwt);
    expect(edgesOf([{ path: 'shop.yaml', content }, writeEdges(new Map([['shop', 3]]))])).toEqual([
      'shop.yaml jwt.file',
    ]);
  });

  it('causes a warning if nobody adds it, and its file is never unused', () => {
    const rules = (...args: Parameters<typeof findPolicyWarnings>) =>
      findPolicyWarnings(...args).map(({ rule }) => rule);
    expect(rules([FILE], { standsAlone: true })).toEqual(['rate_limit.edges_unknown']);
    expect(rules([FILE])).toEqual([]);
    expect(rules([FILE, writeEdges(new Map())], { standsAlone: true })).toEqual([]);
  });
});
