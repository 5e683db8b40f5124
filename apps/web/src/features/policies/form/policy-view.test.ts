import { describe, expect, it } from 'vitest';
import { lineOfPlace } from './line-of-place.ts';
import { listEdits } from './list-edits.ts';
import { formatPlace, parsePlace, placeOfPath } from './place.ts';
import { readPolicyView } from './policy-view.ts';

const TEXT = `
spec:
  defaults: { mode: detect }
  domains:
    - hosts: [a.example.com]
      policy:
        mode: block
        engines:
          rate_limit: &limit { requests_per_second: 5 }
          api_key: { keys: [] }
          jwt: null
      routes:
        - match: { path_prefix: /a }
          policy: { engines: { rate_limit: null, graphql: { max_depth: 3 } } }
        - match: { path_prefix: /b }
          policy: { mode: detect, engines: { rate_limit: *limit } }
    - hosts: [b.example.com]
`;

function slots(domain: number, route?: number): Record<string, string> {
  const part = readPolicyView(TEXT)?.domains[domain];
  const engines = route === undefined ? part?.engines : part?.routes[route]?.engines;
  return Object.fromEntries((engines ?? []).map(({ name, state }) => [name, state]));
}

describe('the form of a policy', () => {
  it('shows whether an engine is set, inherited, switched off or unused', () => {
    expect(slots(0)).toEqual({
      rate_limit: 'own',
      methods: 'unused',
      api_key: 'own',
      jwt: 'unused',
      graphql: 'unused',
    });
    expect(slots(0, 0)).toEqual({
      rate_limit: 'off',
      methods: 'unused',
      api_key: 'inherited',
      jwt: 'unused',
      graphql: 'own',
    });
    expect(slots(0, 1)).toEqual({
      rate_limit: 'own',
      methods: 'unused',
      api_key: 'inherited',
      jwt: 'unused',
      graphql: 'unused',
    });
  });

  it('shows the effective mode of every part', () => {
    const view = readPolicyView(TEXT);
    expect(view?.domains.map(({ effectiveMode }) => effectiveMode)).toEqual(['block', 'detect']);
    expect(view?.domains[0]?.routes.map(({ effectiveMode }) => effectiveMode)).toEqual(['block', 'detect']);
  });

  it('shows the effective response of every part: the nearest one, as a whole', () => {
    const answers = `
spec:
  defaults: { block_response: { format: problem_json, realm: all } }
  domains:
    - hosts: [a.example.com]
    - hosts: [b.example.com]
      policy: { block_response: { realm: own } }
      routes: [{ match: { path_prefix: /r }, policy: { block_response: { unauthorized_status: 401 } } }]
`;
    const domains = readPolicyView(answers)?.domains ?? [];
    expect(domains.map(({ answer }) => answer)).toEqual([undefined, { realm: 'own' }]);
    expect(domains.map(({ effectiveAnswer }) => effectiveAnswer)).toEqual([
      { format: 'problem_json', realm: 'all' },
      { realm: 'own' },
    ]);
    expect(domains[1]?.routes[0]?.answer).toEqual({ unauthorized_status: 401 });
  });

  it.each([
    '',
    'a: [',
    '- 1',
    '5',
    'a: *x',
    'spec: 5',
    'spec: { domains: [5, null, { hosts: 3, routes: {}, policy: [] }] }',
  ])('does not throw for any text: %j', (text) => {
    expect(() => readPolicyView(text)).not.toThrow();
  });
});

describe('the place in the URL', () => {
  it('is the same after formatting and parsing, and an invalid one opens nothing', () => {
    expect(parsePlace(formatPlace(3, 7))).toEqual({ isDefaults: false, domain: 3, route: 7 });
    expect(parsePlace(formatPlace(0))).toEqual({ isDefaults: false, domain: 0, route: undefined });
    for (const text of [undefined, '', 'd', 'd-1', 'd1.r', 'd99999999'])
      expect(parsePlace(text)).toEqual({ isDefaults: false, domain: undefined, route: undefined });
  });

  it('has a line in the text', () => {
    expect(['defaults', 'd0', 'd0.r1', 'd1', 'd7', 'nonsense'].map((place) => lineOfPlace(TEXT, place))).toEqual([
      3,
      5,
      15,
      17,
      undefined,
      undefined,
    ]);
    expect(lineOfPlace('a: [', 'd0')).toBeUndefined();
  });

  it('is derived from the path of an error', () => {
    expect(placeOfPath('spec.domains[1].routes[20].match.path_prefix')).toBe('d1.r20');
    expect(placeOfPath('spec.domains[4].hosts[0]')).toBe('d4');
    expect(placeOfPath('spec.defaults.mode')).toBe('defaults');
    expect(placeOfPath('metadata.name')).toBeUndefined();
  });
});

it('a list changes by a single edit if only one word has changed', () => {
  expect(listEdits(['h'], ['a', 'b'], ['a', 'b', 'c'])).toEqual([{ kind: 'set', path: ['h', 2], value: 'c' }]);
  expect(listEdits(['h'], ['a', 'b', 'c'], ['a', 'c'])).toEqual([{ kind: 'remove', path: ['h', 1] }]);
  expect(listEdits(['h'], ['a'], [])).toEqual([{ kind: 'set', path: ['h'], value: [] }]);
  expect(listEdits(['h'], [], ['a'])).toEqual([{ kind: 'set', path: ['h'], value: ['a'] }]);
  expect(listEdits(['h'], ['a', 'b'], ['b', 'a'])).toEqual([{ kind: 'set', path: ['h'], value: ['b', 'a'] }]);
});
