import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../testing/fleet.ts';

/** RFC 9110 section 13.1: preconditions are checked before anything is written. */
let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
}, 120_000);
afterAll(() => t?.close());

const NONE_THERE = { 'if-none-match': '*' };
const CLOUD = {
  auth: { auth_url: 'https://k.example/v3', application_credential_id: 'i', application_credential_secret: 's' },
  region_name: 'n',
};
const secret = (text: string) => ({ resource: { generic_secret: { secret: { inline_string: text } } } });

it('an existing record is not replaced by a caller who wants to create one', async () => {
  const [xds, groups] = [`/api/v3/xds/secrets`, '/api/v3/setting/groups'];
  const query = `?project=${t.project}`;
  await t.owner.call('POST', `${xds}${query}`, { name: 'there', version: TEST_VERSION, ...secret('a') });
  const group = await t.owner.call('POST', `${groups}${query}`, { name: 'there' });
  for (const [url, body] of [
    [`${xds}/there${query}&version=${TEST_VERSION}`, secret('b')],
    [`${groups}/${group.body.id}${query}`, { name: 'taken', description: null }],
    [`/api/v3/setting/users/${t.owner.userId}`, { username: 'taken', email: null, is_owner: true, active: true }],
    [`/api/v3/setting/documents/general`, {}],
  ] as const) {
    const before = await t.owner.call('GET', url);
    for (const tag of ['*', String(before.headers.etag), `"other", W/${before.headers.etag}`]) {
      const refused = await t.owner.call('PUT', url, body, { 'if-none-match': tag });
      expect([refused.status, refused.body.code], `${url} ${tag}`).toEqual([412, 'record.present']);
    }
    expect((await t.owner.call('GET', url)).headers.etag, url).toBe(before.headers.etag);
    expect((await t.owner.call('PUT', url, body, { 'if-none-match': '"other"' })).status, url).toBe(200);
  }
});

it('a named setting is created for a caller who requires that it does not exist, and not for one who requires that it does', async () => {
  const url = `/api/v3/setting/documents/cloud/new?project=${t.project}`;
  for (const [tag, status] of [
    ['*', 404],
    ['"1"', 412],
  ] as const)
    expect((await t.owner.call('PUT', url, CLOUD, { 'if-match': tag })).status, tag).toBe(status);
  expect((await t.owner.call('GET', url)).status).toBe(404);
  const made = await t.owner.call('PUT', url, CLOUD, NONE_THERE);
  expect([made.status, made.headers.location]).toEqual([201, url]);
  expect((await t.owner.call('PUT', url, CLOUD, NONE_THERE)).status).toBe(412);
  expect((await t.owner.call('PUT', url, CLOUD, { 'if-match': '*' })).status).toBe(200);
});

it('one of several callers who create a record at once succeeds', async () => {
  const url = `/api/v3/setting/documents/cloud/race?project=${t.project}`;
  const all = await Promise.all(Array.from({ length: 6 }, () => t.owner.call('PUT', url, CLOUD, NONE_THERE)));
  expect(all.map(({ status }) => status).toSorted()).toEqual([201, 412, 412, 412, 412, 412]);
});

it('the header is refused where nothing has an ETag, and nothing is written', async () => {
  const member = await t.createMember('viewer');
  const url = `/api/v3/setting/users/${member.userId}/memberships/${t.project}`;
  const refused = await t.owner.call('PUT', url, { role: 'admin' }, NONE_THERE);
  expect([refused.status, refused.body.code]).toEqual([400, 'request.invalid']);
  expect(refused.body.message).toContain('If-None-Match');
  const { body } = await t.owner.call('GET', `/api/v3/setting/users/${member.userId}?project=${t.project}`);
  expect(body.memberships).toMatchObject([{ role: 'viewer' }]);
});

it('a record that was deleted and created again is another one, though its revisions restart', async () => {
  const xds = (name = '', more = '') => `/api/v3/xds/secrets${name}?project=${t.project}${more}`;
  const policies = (name = '') => `/api/v3/shield/policies${name}?project=${t.project}`;
  const text = (name: string) =>
    `apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata: { name: ${name} }\nspec: { domains: [] }\n`;
  for (const [list, one, made, change] of [
    [xds(), xds('/phoenix', `&version=${TEST_VERSION}`), { version: TEST_VERSION, ...secret('a') }, secret('b')],
    [policies(), policies('/phoenix'), { text: text('phoenix') }, { text: text('phoenix') }],
  ] as const) {
    const first = await t.owner.call('POST', list, { name: 'phoenix', ...made });
    expect(first.status, JSON.stringify(first.body)).toBe(201);
    expect((await t.owner.call('GET', one)).headers.etag).toBe(first.headers.etag);
    await t.owner.call('DELETE', one);
    const second = await t.owner.call('POST', list, { name: 'phoenix', ...made });
    expect(second.body.revision).toBe(first.body.revision);
    for (const method of ['PUT', 'DELETE']) {
      const body = method === 'PUT' ? change : undefined;
      const late = await t.owner.call(method, one, body, { 'if-match': String(first.headers.etag) });
      expect([late.status, late.body.code], `${method} ${one}`).toEqual([412, 'record.stale']);
    }
    const match = { 'if-match': String(second.headers.etag) };
    expect((await t.owner.call('PUT', one, change, match)).status).toBe(200);
    // Uses the revision from the body.
    const now = await t.owner.call('GET', one);
    expect((await t.owner.call('DELETE', one, undefined, { 'if-match': `"${now.body.revision}"` })).status).toBe(204);
  }
});

it('a named setting that was deleted and created again is another one too', async () => {
  const url = `/api/v3/setting/documents/cloud/phoenix?project=${t.project}`;
  const first = await t.owner.call('PUT', url, CLOUD, NONE_THERE);
  expect((await t.owner.call('GET', url)).headers.etag).toBe(first.headers.etag);
  await t.owner.call('DELETE', url);
  const second = await t.owner.call('PUT', url, CLOUD, NONE_THERE);
  expect(second.body.revision).toBe(first.body.revision);
  for (const method of ['PUT', 'DELETE']) {
    const body = method === 'PUT' ? CLOUD : undefined;
    const late = await t.owner.call(method, url, body, { 'if-match': String(first.headers.etag) });
    expect([late.status, late.body.code], method).toEqual([412, 'record.stale']);
  }
  const again = await t.owner.call('PUT', url, CLOUD, { 'if-match': String(second.headers.etag) });
  expect(again.status).toBe(200);
  const cloud = await t.owner.call('GET', `/api/v3/setting/clouds/phoenix?project=${t.project}`);
  expect(cloud.headers.etag).toBe(again.headers.etag);
  expect((await t.owner.call('DELETE', url, undefined, { 'if-match': `"${again.body.revision}"` })).status).toBe(204);
});
