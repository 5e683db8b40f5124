import { describe, expect, it } from 'vitest';
import { createDelta } from '../inventory/testing/deltas.ts';
import { listDocumentTemplates } from './templates.ts';
import { createOpenapi, DOCUMENTS, useDocumentWorld } from './testing/document-world.ts';

const world = useDocumentWorld();
const USERS = createOpenapi({ 'GET /users/{id}': {} });

async function call(method: string, path: string, body?: unknown, by: 'owner' | 'admin' | 'viewer' = 'owner') {
  const caller = by === 'owner' ? world.t.owner : world[by];
  const url = `${DOCUMENTS}${path}${path.includes('?') ? '&' : '?'}project=${world.t.project}`;
  return caller.call(method, url, body);
}

describe('an import', () => {
  it('counts versions by names without case, and never uses a number again', async () => {
    const first = await world.upload(USERS, { name: 'Shop' });
    expect(first.status, JSON.stringify(first.body)).toBe(201);
    expect(first.body).toMatchObject({
      name: 'Shop',
      version_count: 1,
      version: { number: 1, operation_count: 1, title: 'Shop' },
    });
    const second = await world.upload(createOpenapi({ 'GET /users': {} }), { name: 'shop' });
    expect(second.body).toMatchObject({ id: first.body.id, version_count: 2, version: { number: 2, current: true } });
    expect((await call('DELETE', `/${first.body.id}/versions/2`)).status).toBe(204);
    expect((await call('GET', `/${first.body.id}`)).body.version).toMatchObject({ number: 1, current: true });
    expect((await world.upload(createOpenapi({ 'GET /x': {} }), { name: 'SHOP' })).body.version.number).toBe(3);
    expect((await call('DELETE', `/${first.body.id}`)).status).toBe(204);
    expect((await call('GET', `/${first.body.id}`)).status).toBe(404);
    expect((await world.upload(USERS, { name: 'shop' })).body).toMatchObject({
      version_count: 1,
      version: { number: 4 },
    });
  });

  it('names the address of the document', async () => {
    const answer = await world.t.app.inject({
      method: 'POST',
      url: `${DOCUMENTS}?project=${world.t.project}&name=located`,
      headers: { authorization: `Bearer ${world.t.owner.token}`, 'content-type': 'application/octet-stream' },
      payload: JSON.stringify(USERS),
    });
    const { body } = await world.t.owner.call('GET', String(answer.headers.location));
    expect(body).toEqual(answer.json());
  });

  it('of the same file changes nothing', async () => {
    const first = await world.upload(USERS, { name: 'same' });
    const again = await world.upload(USERS, { name: 'same' });
    expect(again.body).toEqual(first.body);
  });

  it('with a scope changes the scope of the same file', async () => {
    const { body } = await world.upload(USERS, { name: 'scoped', host_prefix: ['a.example'], path_prefix: ['/v1'] });
    expect(body.scope).toEqual({ listener_name: '', host_prefixes: ['a.example'], path_prefixes: ['/v1'] });
    const later = await world.upload(createOpenapi({ 'GET /more': {} }), { name: 'scoped' });
    expect(later.body).toMatchObject({ version: { number: 2 }, host_prefixes: ['a.example'] });
  });

  it('at the same time as another of the same name makes two versions', async () => {
    const files = Array.from({ length: 2 }, (_, i) => createOpenapi({ [`GET /at-once/${i}`]: {} }));
    const answers = await Promise.all(files.map((file) => world.upload(file, { name: 'at-once' })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const { body } = await call('GET', `/${answers[0]?.body.id}/versions`);
    expect(body.items.map(({ number, current }: { number: number; current: boolean }) => [number, current])).toEqual([
      [2, true],
      [1, false],
    ]);
  });

  it('that is only tried stores nothing', async () => {
    const { status, body } = await world.upload(USERS, { name: 'dry', dry_run: 'true' });
    expect([status, body.version.number]).toEqual([200, 1]);
    const { body: list } = await call('GET', '?q=dry');
    expect(list.items).toEqual([]);
  });

  it.each([
    ['broken YAML', 'openapi: 3.0.3\npaths: {', 422, 'api_document.invalid'],
    ['too many bytes', `{"a":"${'x'.repeat(5 * 1024 * 1024)}"}`, 413, 'request.too_large'],
  ])('of %s is refused', async (_, file, status, code) => {
    const answer = await world.upload(file, { name: 'bad' });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('with an invalid host is refused by its field', async () => {
    const { status, body } = await world.upload(USERS, { name: 'bad', host_prefix: 'https://x' });
    expect([status, body.details[0].path]).toEqual([400, 'host_prefix.0']);
  });

  it('is refused if the documents of the project would have too many operations together', async () => {
    const project = await world.createProject();
    const { body } = await world.upload(USERS, { name: 'large' }, { project });
    await world.t.database.owner
      .updateTable('api_document_versions')
      .set({ operation_count: 60_000 })
      .where('document_id', '=', body.id)
      .execute();
    const refused = await world.upload(USERS, { name: 'other' }, { project });
    expect([refused.status, refused.body.code]).toEqual([422, 'api_document.too_many_operations']);
    expect((await world.upload(createOpenapi({ 'GET /x': {} }), { name: 'large' }, { project })).status).toBe(201);
  });

  it('is for admins and owners of the project', async () => {
    expect((await world.upload(USERS, { name: 'a' }, { caller: world.viewer })).status).toBe(403);
    expect((await world.upload(USERS, { name: 'a' }, { caller: world.admin })).status).toBe(201);
  });
});

describe('a document of another project', () => {
  it('is not found, and its name is free', async () => {
    const other = await world.createProject();
    const { body } = await world.upload(USERS, { name: 'theirs' }, { project: other });
    for (const [method, path, more] of [
      ['GET', ''],
      ['GET', '/versions'],
      ['GET', '/versions/1/file'],
      ['GET', '/patch'],
      ['GET', '/breaking-changes'],
      ['DELETE', ''],
      ['DELETE', '/versions/1'],
      ['PUT', '/scope', { listener_name: '', host_prefixes: null, path_prefixes: null }],
    ] as const) {
      const answer = await call(method, `/${body.id}${path}`, more);
      expect(answer.status, `${method} ${path}`).toBe(404);
    }
    expect((await call('GET', `/differences?document_id=${body.id}`)).status).toBe(404);
    expect((await world.upload(USERS, { name: 'theirs' })).body.version.number).toBe(1);
  });
});

describe('a scope', () => {
  it('is replaced under the revision that was read, and previewed with counts', async () => {
    await world.apply([createDelta('GET preview.example/v1/a'), createDelta('GET preview.example/v2/a')]);
    const { body } = await world.upload(USERS, { name: 'rescope' });
    const scope = { listener_name: '', host_prefixes: ['preview.example'], path_prefixes: ['/v1'] };
    const url = `${DOCUMENTS}/${body.id}/scope?project=${world.t.project}`;
    expect((await world.t.owner.call('PUT', url, scope, { 'if-match': '"99"' })).status).toBe(412);
    const changed = await world.t.owner.call('PUT', url, scope, { 'if-match': `"${body.revision}"` });
    expect([changed.status, changed.body.scope]).toEqual([200, scope]);
    const preview = await call('GET', '/scope-preview?host_prefix=preview.example&path_prefix=/v1');
    expect(preview.body).toMatchObject({ matched: 1, samples: [{ path: '/v1/a' }] });
    expect((await call('PUT', `/${body.id}/scope`, scope, 'viewer')).status).toBe(403);
  });
});

it('the file of a version is downloaded as it was, and never shown', async () => {
  const text = '# <script>\nopenapi: 3.0.3\npaths: {/a: {get: {responses: {"200": {}}}}}\n';
  const { body } = await world.upload(text, { name: 'file' });
  const url = `${DOCUMENTS}/${body.id}/versions/1/file?project=${world.t.project}`;
  const answer = await world.t.app.inject({ url, headers: { authorization: `Bearer ${world.t.owner.token}` } });
  expect(answer.body).toBe(text);
  expect(answer.headers['content-type']).toBe('application/octet-stream');
  expect(answer.headers['content-disposition']).toBe('attachment; filename="file-1.yaml"');
});

it('breaking changes are found between two versions', async () => {
  const first = await world.upload(createOpenapi({ 'GET /a': {}, 'GET /b': {} }), { name: 'breaks' });
  expect((await call('GET', `/${first.body.id}/breaking-changes`)).status).toBe(404);
  await world.upload(createOpenapi({ 'GET /b': {}, 'GET /c': {} }), { name: 'breaks' });
  const { body } = await call('GET', `/${first.body.id}/breaking-changes`);
  expect(body).toEqual({
    from_number: 1,
    to_number: 2,
    items: [{ kind: 'operation_removed', method: 'GET', path: '/a', detail: '' }],
    omitted: 0,
    added_operations: 1,
  });
});

it('templates are those of current versions, for hosts in the scope, and have a version', async () => {
  const project = await world.createProject();
  const { db } = world.t.database;
  expect(await listDocumentTemplates(db, project)).toEqual({ version: '', templates: [] });
  const servers = [{ url: 'https://api.example.com/v1' }, { url: 'https://*.bad' }];
  await world.upload({ ...USERS, servers }, { name: 'a' }, { project });
  const first = await listDocumentTemplates(db, project);
  expect(first.templates).toEqual([{ template: '/v1/users/{id}', method: 'GET', host: 'api.example.com' }]);
  await world.upload(createOpenapi({ 'PUT /x/{id:[0-9]+}': {} }), { name: 'a' }, { project });
  const second = await listDocumentTemplates(db, project);
  expect(second.templates).toEqual([{ template: '/x/{id}', method: 'PUT' }]);
  expect(second.version).not.toBe(first.version);
});
