import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { digestBundle, referencedFiles, scanFileNames, secretFiles } from '../bundle.ts';
import { loadPolicyFiles } from '../load.ts';
import type { PolicyFile } from '../yaml-source.ts';
import { readTrustedDocuments, TRUSTED_DOCUMENTS_MAX_BYTES } from './graphql-trusted-documents.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/** Digests in hexadecimal, or the error in the file. */
function read(content: unknown): readonly string[] | string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const result = readTrustedDocuments(Buffer.from(text));
  if (!result.ok) return result.what;
  return Buffer.from(result.list.digests).toString('hex').match(/.{64}/g) ?? [];
}

const sorted = (...texts: readonly string[]) => texts.map(digest).toSorted();

const manifest = (operations: unknown, rest: object = {}) => ({
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations,
  ...rest,
});

describe('the accepted formats', () => {
  it('include a manifest of Apollo', () => {
    const operations = [
      { id: 'a', name: 'A', type: 'query', body: 'query A{a}' },
      { id: 'b', name: 'B', type: 'mutation', body: 'mutation B{b}' },
    ];
    expect(read(manifest(operations))).toEqual(sorted('query A{a}', 'mutation B{b}'));
  });

  it('include texts by their ids, whatever the ids are', () => {
    expect(read({ a: '{a}', b: '{b}' })).toEqual(sorted('{a}', '{b}'));
    expect(read('{"__proto__":"{a}","constructor":"{b}","format":"{c}","operations":"{d}","version":"{e}"}')).toEqual(
      sorted('{a}', '{b}', '{c}', '{d}', '{e}'),
    );
  });

  it('include a list of digests, in either case', () => {
    expect(read([digest('{a}'), digest('{b}').toUpperCase()])).toEqual(sorted('{a}', '{b}'));
  });

  it('keep texts exactly as their UTF-8 bytes: white space, byte order marks, escapes and all', () => {
    const texts = ['{a}', '{a} ', '{a}\r\n', '\ufeff{a}', '{a(b:"é😀")}', '{a(b:"\\u00e9")}', '{a}#\0'];
    expect(read(Object.fromEntries(texts.map((text, n) => [`i${n}`, text])))).toEqual(sorted(...texts));
    expect(read('{"a":"{a(b:\\"\\u00e9\\")}"}')).toEqual(sorted('{a(b:"é")}'));
  });

  it('count a repeated text once', () => {
    expect(read({ a: '{a}', b: '{a}' })).toEqual([digest('{a}')]);
    expect(read([digest('{a}'), digest('{a}').toUpperCase()])).toEqual([digest('{a}')]);
  });
});

describe('the rejected files', () => {
  it.each<[string, unknown, string]>([
    ['no JSON', '{', 'must be JSON'],
    ['a byte order mark', '\ufeff{"a":"{a}"}', 'must be JSON in UTF-8, without a byte order mark'],
    ['a text', '"{a}"', 'must be JSON'],
    ['an id with two texts', '{"a":"{a}","a":"{b}"}', 'no name written twice'],
    [
      'two texts of one id in a manifest',
      manifest([
        { id: 'a', body: '{a}' },
        { id: 'a', body: '{b}' },
      ]),
      'has the id of another text before at operations[1]',
    ],
    ['an operation without a body', manifest([{ id: 'a', body: '{a}' }, { id: 'b' }]), 'has no body at operations[1]'],
    ['an operation without an id', manifest([{ body: '{a}' }]), 'has no id at operations[0]'],
    ['what is no operation', manifest(['{a}']), 'has no operation at operations[0]'],
    ['another version', manifest([{ id: 'a', body: '{a}' }], { version: 2 }), 'the version 1'],
    [
      'another format',
      manifest([{ id: 'a', body: '{a}' }], { format: 'x' }),
      'the format "apollo-persisted-query-manifest"',
    ],
    ['a manifest without operations', manifest(undefined), 'a list "operations"'],
    ['an id without a text', { a: '{a}', b: 5 }, 'has no text at "b"'],
    ['an empty text', { a: '{a}', b: ' \n' }, 'has an empty text at "b"'],
    ['half a character', '{"a":"{a(b:\\"\\ud800\\")}"}', 'has half a character at "a"'],
    [
      'a text that is no digest',
      [digest('{a}'), digest('{b}').slice(1)],
      'has no SHA-256 (64 hexadecimal digits) at [1]',
    ],
    ['a text in a list', ['{a}'], 'a list is one of digests'],
    ['no document at all', {}, 'lists no document'],
    ['an empty list', [], 'lists no document'],
    ['an empty manifest', manifest([]), 'lists no document'],
    ['too many', Array.from({ length: 100_001 }, (_, n) => n.toString(16).padStart(64, '0')), 'lists more than 100000'],
  ])('%s', (_, content, what) => expect(read(content)).toContain(what));

  it('do not include files in which two clients use the same ids', () => {
    const operations = [
      { id: '1', clientName: 'web', body: '{a}' },
      { id: '1', clientName: 'app', body: '{b}' },
      { id: '1', body: '{c}' },
    ];
    expect(read(manifest(operations))).toEqual(sorted('{a}', '{b}', '{c}'));
  });

  it('are described with long ids shortened', () => {
    expect(String(read({ [`${'x'.repeat(100)}`]: 1 })).length).toBeLessThan(100);
  });

  it('include files above the size limit, before they are parsed', () => {
    const result = readTrustedDocuments(Buffer.alloc(TRUSTED_DOCUMENTS_MAX_BYTES + 1, '['));
    expect(result).toEqual({ ok: false, what: `is larger than ${TRUSTED_DOCUMENTS_MAX_BYTES} bytes` });
  });
});

describe('the file of a policy', () => {
  const policyOf = (file: unknown, limits: object = { max_operations: 10 }): PolicyFile => ({
    path: 'p.json',
    content: JSON.stringify({
      apiVersion: 'flotilla.dev/v1',
      kind: 'SecurityPolicy',
      metadata: { name: 'p' },
      spec: {
        defaults: { inspect_request_body: true, max_request_body_bytes: 65_536 },
        domains: [
          {
            hosts: ['a.example.com'],
            policy: { engines: { graphql: { trusted_documents_file: file, ...limits } } },
          },
        ],
      },
    }),
  });
  const load = (file: unknown, ...data: PolicyFile[]) => loadPolicyFiles([policyOf(file), ...data]);
  const problemsOf = (...args: Parameters<typeof load>) => {
    const loaded = load(...args);
    return loaded.ok ? [] : loaded.error.map(({ rule, message }) => `${rule}: ${message}`);
  };

  it('is read with the bundle, and is part of its digest', () => {
    const one = { path: 'files/a.json', content: '{"a":"{a}"}' };
    const loaded = load('files/a.json', one);
    const options = loaded.ok ? loaded.value.domains[0]?.policy.engines[0]?.options : undefined;
    expect(options).toMatchObject({ trustedDocuments: { digests: Buffer.from(digest('{a}'), 'hex') } });
    const two = { path: 'files/a.json', content: '{"a":"{b}"}' };
    expect(digestBundle([policyOf('files/a.json'), one])).not.toBe(digestBundle([policyOf('files/a.json'), two]));
  });

  it('is found by everything that looks for files of a policy, and is not a secret', () => {
    const { content } = policyOf('files/a.json');
    expect(referencedFiles(String(content))).toEqual(['files/a.json']);
    expect(scanFileNames(String(content))).toEqual(['files/a.json']);
    expect(secretFiles(String(content))).toEqual([]);
  });

  it.each([
    ['files/b.json', 'graphql.file: names a file that is not in the bundle'],
    ['/etc/passwd', 'graphql.file: must be a path inside the bundle, not an absolute one'],
    ['../a.json', 'graphql.file: must be a plain relative path'],
    ['a.json', 'graphql.file: would be read as a policy document'],
  ])('%s is refused', (file, problem) => {
    const problems = problemsOf(file, { path: 'files/a.json', content: '{"a":"{a}"}' });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it('is reported with its place if it is empty', () => {
    expect(problemsOf('files/a.json', { path: 'files/a.json', content: '{"a":""}' })).toEqual([
      'graphql.trusted_documents: names a file that has an empty text at "a": it is no document',
    ]);
  });

  it('is loaded once for all domains and routes that refer to it', () => {
    const block = { trusted_documents_file: 'files/a.json', max_operations: 10 };
    const policy = {
      apiVersion: 'flotilla.dev/v1',
      kind: 'SecurityPolicy',
      metadata: { name: 'p' },
      spec: {
        defaults: { inspect_request_body: true, max_request_body_bytes: 65_536 },
        domains: [
          { hosts: ['a.example.com'], policy: { engines: { graphql: { ...block } } } },
          {
            hosts: ['b.example.com'],
            routes: [
              { match: { path_prefix: '/a' }, policy: { engines: { graphql: { ...block } } } },
              { match: { path_prefix: '/b' }, policy: { engines: { graphql: { ...block, max_operations: 1 } } } },
            ],
          },
        ],
      },
    };
    const file = { path: 'files/a.json', content: Buffer.from('{"a":"{a}"}') };
    const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(policy) }, file]);
    const domains = loaded.ok ? loaded.value.domains : [];
    const places = domains.flatMap((domain) => [domain.policy, ...domain.routes.map((route) => route.policy)]);
    const [first, again, other] = places.flatMap(({ engines }) => engines);
    expect(first?.options).toBe(again?.options);
    expect(first).not.toBe(again);
    expect(other?.options).toMatchObject({ maxOperations: 1 });
  });

  it('may accompany a limit but does not replace one, as specified', () => {
    const loaded = loadPolicyFiles([policyOf('files/a.json', {}), { path: 'files/a.json', content: '{"a":"{a}"}' }]);
    expect(loaded.ok ? [] : loaded.error.map(({ rule }) => rule)).toEqual(['graphql.no_limit']);
  });

  it('must have a name', () => {
    expect(problemsOf(5)).toEqual(['schema.type: must be text; put it in quotes']);
    expect(problemsOf('')).toEqual(['schema.too_small: must not be empty']);
  });
});
