import { API_DOCUMENT_OPERATIONS_MAX } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import type { DocumentOperation } from '../model/document.ts';
import { readDocument } from './read-document.ts';

function read(text: string | object) {
  const answer = readDocument(Buffer.from(typeof text === 'string' ? text : JSON.stringify(text)));
  if (!answer.ok) return { problems: answer.problems, head: undefined, operations: [] };
  const operations = answer.operations.flatMap((part) => JSON.parse(part) as DocumentOperation[]);
  return { problems: [], head: answer.head, operations };
}

const problemOf = (text: string | object) => read(text).problems[0]?.message;
const document = (paths: object, more: object = {}) => ({
  openapi: '3.0.3',
  info: { title: 'T', version: 1 },
  paths,
  ...more,
});
const OK = { responses: { 200: {} } };

describe('a document', () => {
  it.each([
    ['3.0.3', 'openapi-3.0'],
    ['3.1.0', 'openapi-3.1'],
  ])('of OpenAPI %s is read', (openapi, format) => {
    const { head, operations } = read({ ...document({ '/a': { get: OK } }), openapi });
    expect(head).toMatchObject({ format, title: 'T', documentVersion: '1', operationCount: 1 });
    expect(operations).toMatchObject([{ method: 'GET', path: '/a' }]);
  });

  it('of Swagger 2.0 as YAML is read with its base path, body and keys', () => {
    const { head, operations } = read(`
swagger: "2.0"
info: {title: Old, version: "9"}
host: api.example.com:8443
basePath: /v1/
consumes: [application/json]
securityDefinitions: {key: {type: apiKey, in: query, name: api_key}}
paths:
  /users/{id}:
    parameters: [{in: path, name: id, required: true, type: string}]
    put:
      deprecated: true
      parameters:
        - {in: body, name: user, required: true, schema: {}}
        - {in: query, name: full, type: boolean}
      responses: {"200": {description: x}, "4XX": {description: y}}
`);
    expect(head).toMatchObject({
      format: 'swagger-2.0',
      servers: [{ host: 'api.example.com:8443', base: '/v1' }],
      keyQuery: ['api_key'],
      deprecatedCount: 1,
    });
    expect(operations[0]?.facts).toMatchObject({
      deprecated: true,
      body: { required: true, media: ['application/json'] },
      statuses: ['200', '4XX'],
      openQuery: false,
    });
    expect(operations[0]?.facts.parameters).toContainEqual({
      in: 'query',
      name: 'full',
      required: false,
      type: 'boolean',
    });
  });

  it('has the servers that it names, with variables', () => {
    const servers = [
      { url: 'https://API.example.com:443/v1/' },
      { url: 'https://{tenant}.example.net/{base}', variables: { base: { default: 'v2' } } },
      { url: '/relative' },
      { url: 'https://user@{a}{b}/x' },
      { url: 'https:// spaces/x' },
      { url: 7 },
    ];
    const { head } = read(document({ '/a': { get: OK } }, { servers }));
    expect(head?.servers).toEqual([
      { host: 'api.example.com', base: '/v1' },
      { host: '*.example.net', base: '/v2' },
      { host: null, base: '/relative' },
      { host: null, base: '/x' },
    ]);
    expect(head?.warnings.map(({ field }) => field)).toEqual(['servers.4', 'servers.5']);
  });

  it('follows references, and warns about those that it cannot follow', () => {
    const { head, operations } = read(
      document(
        {
          '/a': { $ref: '#/components/pathItems/a' },
          '/b': { $ref: 'other.yaml#/b' },
          '/c': { get: { ...OK, parameters: [{ $ref: '#/components/parameters/loop' }, { $ref: '#/nowhere' }] } },
        },
        {
          components: {
            pathItems: { a: { get: { ...OK, parameters: [{ $ref: '#/components/parameters/page' }] } } },
            parameters: {
              page: { $ref: '#/components/parameters/real~1page' },
              'real/page': { in: 'query', name: 'page', schema: { type: 'integer' } },
              loop: { $ref: '#/components/parameters/loop' },
            },
          },
        },
      ),
    );
    expect(operations).toMatchObject([
      { path: '/a', facts: { openQuery: false, parameters: [{ in: 'query', name: 'page', type: 'integer' }] } },
      { path: '/c', facts: { openQuery: true, parameters: [] } },
    ]);
    expect(head?.warnings).toEqual([
      {
        field: 'paths./b',
        message: 'other.yaml#/b is in another file, which is not read. The path has no operations.',
      },
      { field: 'paths./c.get.parameters', message: '#/components/parameters/loop refers to itself.' },
      { field: 'paths./c.get.parameters', message: '#/nowhere leads nowhere.' },
    ]);
  });

  it('leaves out paths that no request can have, with a warning', () => {
    const paths = {
      'no-slash': { get: OK },
      '/a/{b': { get: OK },
      '/\u0000': { get: OK },
      [`/${'x'.repeat(2000)}`]: { get: OK },
    };
    const { head, operations } = read(document({ ...paths, '/ok?x=1': { get: OK }, 'x-own': {} }));
    expect(operations.map(({ path }) => path)).toEqual(['/ok']);
    expect(head?.warnings).toHaveLength(5);
  });

  it('whose query is an object may have any parameter', () => {
    const parameters = [{ in: 'query', name: 'filter', schema: { type: 'object' } }];
    const deep = [{ in: 'query', name: 'filter', style: 'deepObject', schema: { type: 'object' } }];
    const { operations } = read(
      document({ '/a': { get: { ...OK, parameters } }, '/b': { get: { ...OK, parameters: deep } } }),
    );
    expect(operations.map(({ facts }) => facts.openQuery)).toEqual([true, false]);
  });
});

describe('a file that is no document', () => {
  it.each([
    ['nothing', '', /contains no document/],
    ['a text', 'hello', /needs openapi/],
    ['a list', '[1]', /needs openapi/],
    ['another version', 'openapi: 4.0.0\npaths: {}', /needs openapi/],
    ['no paths', 'openapi: 3.0.3\ninfo: {}\n', /line 1: paths is missing/],
    ['empty paths', '{"openapi":"3.0.3","paths":{}}', /no operation/],
    ['a path that is a text', 'openapi: 3.0.3\npaths:\n  /a: x\n', /line 3: the path must be an object/],
    ['an operation that is a list', 'openapi: 3.0.3\npaths:\n  /a:\n    get: []\n', /line 4: the operation must/],
    ['broken YAML', 'openapi: 3.0.3\npaths: {\n', /^line 2, column 8/],
    ['broken JSON', '{"openapi": "3.0.3",\n "paths": }', /^line 2/],
    ['a duplicate key', 'openapi: 3.0.3\npaths: {}\npaths: {}\n', /^line 3/],
    ['a NUL', 'openapi: 3.0.3\u0000', /UTF-8/],
    ['a foreign tag', 'openapi: !!js/function "x"\npaths: {}\n', /^line 1/],
  ])('is refused with its line: %s', (_, text, message) => {
    expect(problemOf(text)).toMatch(message);
  });

  it('is refused if it is not UTF-8', () => {
    const answer = readDocument(Buffer.from([0x7b, 0xff, 0xfe]));
    expect(answer).toMatchObject({ ok: false, problems: [{ message: 'it is not UTF-8 text.' }] });
  });

  it('is refused if its aliases expand to billions', () => {
    const lines = Array.from({ length: 9 }, (__, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`);
    expect(problemOf(`openapi: 3.0.3\na0: &a0 [x]\n${lines.join('\n')}\npaths: {}\n`)).toMatch(/alias/);
  });

  it('is refused if it is nested without end', () => {
    expect(problemOf(`openapi: 3.0.3\npaths: ${'['.repeat(20_000)}`)).toMatch(/nested too deeply|line/);
    expect(problemOf(`{"openapi":"3.0.3","paths":{"/a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`)).toBeDefined();
  });

  it('is refused if it repeats so much that a small file becomes a large answer', () => {
    const parameters = Array.from({ length: 200 }, (_, i) => ({ in: 'query', name: `${'n'.repeat(200)}${i}` }));
    const shared = Object.fromEntries(
      ['get', 'put', 'post', 'delete'].map((method) => [method, { ...OK, parameters }]),
    );
    const paths = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`/p${i}`, { $ref: '#/x-shared' }]));
    expect(problemOf(document(paths, { 'x-shared': shared }))).toMatch(/repeats too many/);
  });

  it('is refused if it has too many operations', () => {
    const paths = Object.fromEntries(
      Array.from({ length: API_DOCUMENT_OPERATIONS_MAX + 1 }, (_, i) => [`/p${i}`, { get: OK }]),
    );
    expect(problemOf(document(paths))).toMatch(/more than 20000 operations/);
  });
});

it('members of prototypes are members like others', () => {
  const text =
    '{"openapi":"3.0.3","paths":{"/__proto__":{"get":{"responses":{"200":{}},"__proto__":{"deprecated":true}}},"/constructor":{"get":{"$ref":"#/constructor/prototype"}}}}';
  const { operations } = read(text);
  expect(operations).toMatchObject([{ path: '/__proto__', facts: { deprecated: false } }, { path: '/constructor' }]);
  expect(({} as { deprecated?: unknown }).deprecated).toBeUndefined();
});

it('markup and formulas stay what they are', () => {
  const { operations } = read(
    document({ '/<img src=x onerror=alert(1)>': { get: { ...OK, operationId: '=HYPERLINK("x")' } } }),
  );
  expect(operations[0]?.facts.operationId).toBe('=HYPERLINK("x")');
});
