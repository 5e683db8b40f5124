import { beforeAll, describe, expect, it } from 'vitest';
import { createDelta, daysAgo } from '../inventory/testing/deltas.ts';
import { createOpenapi, DOCUMENTS, useDocumentWorld } from './testing/document-world.ts';

const world = useDocumentWorld();
const SERVERS = [{ url: 'https://api.example/v1' }];
let id: string;

beforeAll(async () => {
  await world.apply([
    createDelta('GET api.example/v1/users/{id}', {
      statuses: { 200: 1, 418: 1, 0: 1 },
      queryNames: ['full', 'debug', 'filter[a]'],
    }),
    createDelta('HEAD api.example/v1/users/{id}'),
    createDelta('OPTIONS api.example/v1/users/{id}'),
    createDelta('DELETE api.example/v1/users/{id}'),
    createDelta('GET api.example/v1/old'),
    createDelta('GET sub.api.example/v1/users/me'),
    createDelta('GET api.example/v2/users/{id}'),
    createDelta('GET other.example/v1/users/{id}'),
    createDelta('GET other.example/free'),
    createDelta('GET api.example/v1/long-ago', { atMs: daysAgo(20) }),
    createDelta('POST api.example/v1/pkg.Service/Call', { protocols: ['grpc'] }),
    {
      ...createDelta('POST api.example/v1/graphql'),
      key: { method: 'POST', host: 'api.example', normalizedPath: '/v1/graphql', operation: 'query x' },
    },
    createDelta('CONNECT api.example/v1/tunnel'),
    createDelta('GET api.example/v1/.env', { confirmed: false }),
  ]);
  const file = createOpenapi(
    {
      'GET /users/{userId}': {
        responses: { 200: {} },
        parameters: [
          { in: 'query', name: 'full' },
          { in: 'query', name: 'filter', style: 'deepObject', schema: { type: 'object' } },
        ],
      },
      'GET /old': { deprecated: true },
      'GET /never/{a}{b}': {},
    },
    { servers: SERVERS },
  );
  const { status, body } = await world.upload(file, { name: 'users' });
  expect(status, JSON.stringify(body)).toBe(201);
  id = body.id;
}, 120_000);

type Item = { kinds: string[]; method: string; host: string; path: string };
const nameOf = ({ kinds, method, host, path }: Item) => `${kinds.join('+')}: ${method} ${host}${path}`;
const read = async (query: string) => {
  const { status, body } = await world.viewer.call(
    'GET',
    `${DOCUMENTS}/differences?project=${world.t.project}&${query}`,
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

describe('a comparison', () => {
  it('finds every kind of difference, and says what it looked at', async () => {
    const body = await read('');
    expect(body.items.map(nameOf)).toEqual([
      'unused: GET /v1/never/{a}{b}',
      'documented+deprecated_in_use: GET api.example/v1/old',
      'undocumented: DELETE api.example/v1/users/{id}',
      'documented+undeclared_parameter+undeclared_status: GET api.example/v1/users/{id}',
      'out_of_scope: GET other.example/v1/users/{id}',
    ]);
    expect(body.items[3]).toMatchObject({ undeclared_parameters: ['debug'], undeclared_statuses: ['418'] });
    expect(body).toMatchObject({
      counts: { documented: 5, undocumented: 1, unscoped: 2, out_of_scope: 1, unused: 1, overlap: 0 },
      operation_count: 9,
      excluded: { grpc: 1, tcp: 0, graphql: 1, other_methods: 1 },
      source: 'inventory',
      days: 7,
      restricted: false,
      next_cursor: null,
      documents: [{ id, name: 'users', number: 1 }],
    });
  });

  it('of more days has older operations', async () => {
    expect((await read('days=30&kind=undocumented')).items.map(nameOf)).toContain(
      'undocumented: GET api.example/v1/long-ago',
    );
  });

  it('has pages that together are the whole list', async () => {
    const all: string[] = [];
    for (let cursor = ''; ; ) {
      const { items, next_cursor } = await read(`limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      expect(items.length).toBeLessThanOrEqual(2);
      all.push(...items.map(nameOf));
      if (next_cursor === null) break;
      cursor = next_cursor;
    }
    expect(all).toEqual((await read('')).items.map(nameOf));
    expect(new Set(all).size).toBe(5);
  });

  it('finds overlaps of two documents, and follows the chosen one', async () => {
    const project = await world.createProject();
    await world.apply([createDelta('GET api.example/v1/users/{id}'), createDelta('GET api.example/v1/b')], {
      projectId: project,
    });
    const users = createOpenapi({ 'GET /v1/users/{id}': {} });
    const first = await world.upload(users, { name: 'a' }, { project });
    await world.upload(createOpenapi({ 'GET /v1/{kind}/{id}': {}, 'GET /v1/b': {} }), { name: 'b' }, { project });
    const url = `${DOCUMENTS}/differences?project=${project}`;
    const { body } = await world.t.owner.call('GET', url);
    expect(body.items.map(nameOf)).toEqual(['overlap: GET api.example/v1/users/{id}']);
    const ofFirst = await world.t.owner.call('GET', `${url}&document_id=${first.body.id}&kind=documented&kind=overlap`);
    expect(ofFirst.body.items.map(nameOf)).toEqual(['overlap: GET api.example/v1/users/{id}']);
  });

  it.each(['cursor=abc', 'number=1', 'days=91', 'kind=x'])('refuses %s', async (query) => {
    const { status } = await world.viewer.call('GET', `${DOCUMENTS}/differences?project=${world.t.project}&${query}`);
    expect(status).toBe(400);
  });

  it('says of one operation which documents describe it', async () => {
    const operation = await world.idOf('GET api.example/v1/old');
    const url = `/api/v3/inventory/${operation}/documents?project=${world.t.project}`;
    const { body } = await world.viewer.call('GET', url);
    expect(body.item).toMatchObject({ kinds: ['documented', 'deprecated_in_use'], documents: [{ id, path: '/old' }] });
    const rpc = await world.idOf('POST api.example/v1/pkg.Service/Call');
    const excluded = await world.viewer.call('GET', `/api/v3/inventory/${rpc}/documents?project=${world.t.project}`);
    expect(excluded.body).toEqual({ item: null });
  });
});

it('a patch has the paths and parameters that the document lacks', async () => {
  const url = `${DOCUMENTS}/${id}/patch?project=${world.t.project}&format=json`;
  const answer = await world.t.app.inject({ url, headers: { authorization: `Bearer ${world.viewer.token}` } });
  expect(answer.json()).toEqual({
    openapi: '3.0.3',
    paths: {
      '/users/{userId}': {
        delete: {
          parameters: [{ name: 'userId', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { 200: { description: 'OK' } },
        },
        get: {
          parameters: [{ name: 'debug', in: 'query', required: false, schema: { type: 'string' } }],
          responses: { 418: { description: "I'm a Teapot" } },
        },
      },
    },
  });
});

describe('a check of a file', () => {
  it('compares it alone, in a given scope, and stores nothing', async () => {
    const file = createOpenapi({ 'GET /free': {} });
    const { status, body } = await world.upload(
      file,
      { host_prefix: 'other.example' },
      { path: '/check', caller: world.viewer },
    );
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.items.map(nameOf)).toEqual(['undocumented: GET other.example/v1/users/{id}']);
    expect(body).toMatchObject({ omitted: 0, scope: { host_prefixes: ['other.example'] } });
    const { body: list } = await world.viewer.call('GET', `${DOCUMENTS}?project=${world.t.project}`);
    expect(list.items).toHaveLength(1);
  });

  it('counts what the limit leaves out', async () => {
    const { body } = await world.upload(createOpenapi({ 'GET /none': {} }), { limit: '2' }, { path: '/check' });
    expect([body.items.length, body.omitted]).toEqual([2, body.counts.undocumented + body.counts.unused - 2]);
  });
});
