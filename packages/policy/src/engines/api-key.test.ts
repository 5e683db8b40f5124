import { describe, expect, it } from 'vitest';
import { loadPolicyFiles } from '../load.ts';
import type { ApiKeyOptions } from './api-key.ts';

function load(fields: string) {
  const content = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: demo }
spec:
  domains:
    - hosts: [api.example.com]
      policy:
        engines:
          api_key:
${fields
  .trim()
  .split('\n')
  .map((line) => `            ${line}`)
  .join('\n')}
`;
  return loadPolicyFiles([{ path: 'policy.yaml', content }]);
}

function problemsOf(fields: string): string[] {
  const loaded = load(fields);
  return loaded.ok ? [] : loaded.error.map(({ line, field, rule }) => `${line} ${field.split('.api_key')[1]} ${rule}`);
}

function optionsOf(fields: string): ApiKeyOptions {
  const loaded = load(fields);
  const block = loaded.ok ? loaded.value.domains[0]?.policy.engines[0] : undefined;
  if (block?.engine !== 'api_key') throw new Error('there is no api_key block');
  return block.options;
}

const KEYS = 'keys: [{ key: secret-one, subject: one }]';

describe('the sources of a key', () => {
  it('default to one header', () => {
    expect(optionsOf(KEYS).sources).toEqual([{ source: 'header', name: 'x-api-key' }]);
    expect(optionsOf(`${KEYS}\nsource: query`).sources).toEqual([{ source: 'query', name: 'X-Api-Key' }]);
    expect(optionsOf(`${KEYS}\nname: X-Token`).sources).toEqual([{ source: 'header', name: 'x-token' }]);
  });

  it('may be several', () => {
    const sources = 'sources: [{ name: X-Key }, { source: query, name: apiKey }, {}]';
    expect(optionsOf(`${KEYS}\n${sources}`).sources).toEqual([
      { source: 'header', name: 'x-key' },
      { source: 'query', name: 'apiKey' },
      { source: 'header', name: 'x-api-key' },
    ]);
  });

  it.each<[string, string, string[]]>([
    ['an empty list', 'sources: []', ['11 .sources schema.too_small']],
    ['a list beside a name', 'name: X-Key\nsources: [{}]', ['11 .name api_key.sources']],
    [
      'a list beside both',
      'source: query\nname: key\nsources: [{}]',
      ['11 .source api_key.sources', '12 .name api_key.sources'],
    ],
    ['the same header twice', 'sources: [{ name: X-Key }, { name: x-key }]', ['11 .sources[1].name api_key.sources']],
    [
      'two query parameters',
      'sources: [{ source: query, name: a }, { source: query, name: b }]',
      ['11 .sources[1].name api_key.sources'],
    ],
    ['a name that is no header', 'sources: [{ name: "a b" }]', ['11 .sources[0].name api_key.name']],
    ['an unknown source', 'sources: [{ source: cookie }]', ['11 .sources[0].source schema.value']],
  ])('%s is refused', (_, fields, problems) => expect(problemsOf(`${KEYS}\n${fields}`)).toEqual(problems));
});

describe('the validity of a key', () => {
  it('is parsed as RFC 3339', () => {
    const keys = `keys: [{ key: one, not_before: 2026-01-01T00:00:00Z, expires_at: "2027-01-01T01:30:00.5+01:30" }]`;
    expect(optionsOf(keys).keys[0]).toMatchObject({
      notBeforeMs: Date.UTC(2026, 0, 1),
      expiresAtMs: Date.UTC(2027, 0, 1) + 500,
    });
    expect(optionsOf('keys: [{ key: one }]').keys[0]).toMatchObject({ notBeforeMs: null, expiresAtMs: null });
  });

  it.each([
    '2027-01-31',
    '2027-01-31T00:00:00',
    '2027-01-31 00:00:00Z',
    '2027-02-30T00:00:00Z',
    '2027-13-01T00:00:00Z',
    '2027-01-31T24:00:00Z',
    '2027-01-31T00:00:60Z',
    '2027-01-31T00:00:00+25:00',
    'tomorrow',
    '',
  ])('%s is no time', (text) => {
    expect(problemsOf(`keys:\n  - key: one\n    expires_at: "${text}"`)).toEqual([
      '12 .keys[0].expires_at api_key.timestamp',
    ]);
  });

  it('must end after it begins', () => {
    const keys = (end: string) => `keys:\n  - key: one\n    not_before: 2027-01-01T00:00:00Z\n    expires_at: ${end}`;
    expect(problemsOf(keys('2027-01-01T00:00:00Z'))).toEqual(['13 .keys[0].expires_at api_key.validity']);
    expect(problemsOf(keys('2027-01-01T00:00:01Z'))).toEqual([]);
  });
});

describe('the methods of a key', () => {
  const keys = (methods: string) => `keys:\n  - key: one\n    methods: ${methods}`;

  it('default to all methods', () => {
    expect(optionsOf('keys: [{ key: one }]').keys[0]?.methods).toEqual([]);
    expect(optionsOf(keys('[GET, HEAD, purge]')).keys[0]?.methods).toEqual(['GET', 'HEAD', 'purge']);
  });

  it.each([
    ['[]', ['12 .keys[0].methods schema.too_small']],
    ['GET', ['12 .keys[0].methods schema.type']],
    ['[GET, 7]', ['12 .keys[0].methods[1] schema.type']],
    ['[GET, ""]', ['12 .keys[0].methods[1] api_key.method']],
    ['["GET HEAD"]', ['12 .keys[0].methods[0] api_key.method']],
    ['["GET,HEAD", "*"]', ['12 .keys[0].methods[0] api_key.method']],
    ['[GET, HEAD, GET]', ['12 .keys[0].methods[2] api_key.method']],
  ])('%s is refused', (methods, problems) => expect(problemsOf(keys(methods))).toEqual(problems));
});

describe('the limit of a key', () => {
  const keys = (...fields: string[]) => ['keys:', '  - key: one', ...fields.map((field) => `    ${field}`)].join('\n');

  it('is absent by default', () => {
    expect(optionsOf(keys()).keys[0]?.limit).toBeNull();
    expect(optionsOf(keys('requests_per_second: 0.5')).keys[0]?.limit).toEqual({ rate: 0.5, burst: 1 });
    expect(optionsOf(keys('requests_per_second: 2.5', 'burst: 0')).keys[0]?.limit).toEqual({ rate: 2.5, burst: 2.5 });
    expect(optionsOf(keys('requests_per_second: 5', 'burst: 9')).keys[0]?.limit).toEqual({ rate: 5, burst: 9 });
  });

  it.each<[string[], string[]]>([
    [['requests_per_second: 0'], ['12 .keys[0].requests_per_second api_key.rate']],
    [['requests_per_second: -1'], ['12 .keys[0].requests_per_second api_key.rate']],
    [['requests_per_second: .inf'], ['12 .keys[0].requests_per_second schema.type']],
    [['requests_per_second: "5"'], ['12 .keys[0].requests_per_second schema.type']],
    [['requests_per_second: 1', 'burst: 1.5'], ['13 .keys[0].burst schema.type']],
    [['requests_per_second: 1', 'burst: -1'], ['13 .keys[0].burst schema.too_small']],
    [['burst: 5'], ['12 .keys[0].burst api_key.burst']],
    [['requests_per_second: 1e-9'], ['12 .keys[0].requests_per_second api_key.refill']],
    [['requests_per_second: 1', 'burst: 2678401'], ['13 .keys[0].burst api_key.refill']],
    [['requests_per_second: 1', 'burst: 2678400'], []],
  ])('%j is judged', (fields, problems) => expect(problemsOf(keys(...fields))).toEqual(problems));
});

describe('the handling of a credential', () => {
  it('is nothing by default', () => {
    expect(optionsOf(KEYS)).toMatchObject({ stripCredential: false, subjectHeader: '' });
    expect(optionsOf(`${KEYS}\nstrip_credential: true\nsubject_header: X-User`)).toMatchObject({
      stripCredential: true,
      subjectHeader: 'x-user',
    });
  });

  it.each<[string, string]>([
    ...['Host', ':authority', 'Connection', 'content-length', 'X-Forwarded-For', 'x-envoy-original-path', 'a b'].map(
      (name): [string, string] => [name, `subject_header: "${name}"`],
    ),
    ['another spelling of a header of the proxy', 'subject_header: content_length'],
    ['another spelling of the header of the key', 'subject_header: x_api.key'],
    ['the header of the key', 'subject_header: x-api-KEY'],
    ['a header of one of the keys', 'sources: [{}, { name: X-User }]\nsubject_header: x-user'],
  ])('rejects the subject header %s', (_, fields) => {
    const line = fields.startsWith('sources') ? 12 : 11;
    expect(problemsOf(`${KEYS}\n${fields}`)).toEqual([`${line} .subject_header api_key.subject_header`]);
  });

  it('rejects a subject that a header would change', () => {
    const keys = (subject: string) => `keys: [{ key: one, subject: "${subject}" }]\nsubject_header: X-User`;
    for (const subject of [' one', 'one ', 'one\\r\\nx: y', '\\0'])
      expect(problemsOf(keys(subject))).toEqual(['10 .keys[0].subject api_key.subject']);
    expect(problemsOf(keys('Jürgen O’Neill, admin'))).toEqual([]);
    expect(problemsOf('keys: [{ key: one, subject: " one" }]')).toEqual([]);
  });

  it('rejects the removal of a header that proxies route by', () => {
    expect(problemsOf(`${KEYS}\nname: Host\nstrip_credential: true`)).toEqual(['11 .name api_key.strip_credential']);
  });
});

describe('bindings', () => {
  it('are plain prefixes by default', () => {
    const binding = (extra: string) =>
      optionsOf(`${KEYS}\nrequire_scope_for_path: [{ path_prefix: /a//./b, scope: s${extra} }]`).bindings;
    expect(binding('')).toEqual([{ pathPrefix: '/a/b', scope: 's', wholeSegments: false }]);
    expect(binding(', whole_segments: true')).toEqual([{ pathPrefix: '/a/b', scope: 's', wholeSegments: true }]);
  });
});
