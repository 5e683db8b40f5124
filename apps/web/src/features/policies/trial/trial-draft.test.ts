import { describe, expect, it } from 'vitest';
import { readPolicyView } from '../form/policy-view.ts';
import {
  EMPTY_DRAFT,
  findBadHeaders,
  fromSearch,
  isTarget,
  readHeaders,
  toSearch,
  toTrialRequest,
} from './trial-draft.ts';
import { credentialNames, makeExamples } from './trial-examples.ts';

const draft = { ...EMPTY_DRAFT, method: 'POST', url: 'https://a.example.com/x?page=2', sourceIp: '203.0.113.9' };

describe('a link to a trial', () => {
  it('restores the request', () => {
    const search = toSearch({ ...draft, headers: 'accept: */*\ncontent-type: text/plain' });
    const values = (name: string) => [search[name] ?? []].flat();
    expect(fromSearch((name) => values(name)[0], values)).toEqual({
      ...draft,
      headers: 'accept: */*\ncontent-type: text/plain',
      body: '',
    });
  });

  it('contains neither credentials nor the body', () => {
    const search = toSearch(
      {
        ...draft,
        url: 'https://user:hush1@a.example.com/x?api_key=hush2&page=2&%74oken=hush3&mine=hush4',
        headers: 'Authorization: Bearer hush5\nX-Api-Key: hush6\ncookie: hush7\nX-Mine: hush8\naccept: */*',
        body: 'hush9',
      },
      ['x-mine', 'mine'],
    );
    expect(JSON.stringify(search)).not.toContain('hush');
    expect(search).toEqual({
      method: 'POST',
      url: 'https://a.example.com/x?page=2',
      header: ['accept: */*'],
      ip: '203.0.113.9',
    });
  });
});

it('a URL is absolute or a path, and a host without a scheme is neither', () => {
  const targets = ['https://a.example.com', ' HTTP://[::1]:8080/x?y', '/x', '//x', '*'];
  expect(targets.filter((url) => !isTarget(url))).toEqual([]);
  const others = ['a.example.com/x', 'a.example.com:443', 'x', 'https://', 'https:///x', 'ftp://a.example.com/x'];
  expect(others.filter(isTarget)).toEqual([]);
});

describe('typed headers', () => {
  it('are one per line, and other lines are reported', () => {
    const text = ' Accept: */*\n\nx-empty:\n:authority: a.example.com\nno header\nbad name: x';
    expect(readHeaders(text)).toEqual([
      ['Accept', '*/*'],
      ['x-empty', ''],
      [':authority', 'a.example.com'],
    ]);
    expect(findBadHeaders(text)).toEqual([5, 6]);
  });

  it('are omitted from the request if there are none', () => {
    expect(toTrialRequest({ ...EMPTY_DRAFT, url: ' /x ' })).toEqual({ method: 'GET', url: '/x' });
  });
});

const POLICY = `
spec:
  domains:
    - hosts: ["*.example.com"]
      policy: { engines: { api_key: { name: X-Shop-Key, keys: [] } } }
      routes:
        - match: { path_prefix: /graphql }
          policy: { engines: { graphql: { max_depth: 3 }, api_key: null } }
        - match: { path_prefix: /limited }
          policy: { engines: { rate_limit: { requests_per_second: 1, key: header, header: x-tenant } } }
    - hosts: ["*"]
      policy: { engines: { jwt: { header_name: X-Token, algorithms: [RS256] } } }
`;

describe('the examples of a policy', () => {
  const view = readPolicyView(POLICY);
  const examples = view ? makeExamples(view) : [];

  it('are requests for its own hosts and paths', () => {
    expect(examples.map(({ label }) => label)).toEqual([
      'POST www.example.com/graphql',
      'GET www.example.com/limited',
      'GET www.example.com/',
      'GET example.com/',
    ]);
    expect(examples[0]?.draft.body).toContain('query');
    expect(examples[1]?.draft.headers).toBe('x-tenant: one');
  });

  it('list the headers and parameters with credentials', () => {
    expect(view && credentialNames(view)).toEqual(['authorization', 'x-api-key', 'X-Shop-Key', 'X-Token']);
  });
});
