import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBySecret } from '../../../platform/tokens/index.ts';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';

let t: TestController;
let admin: TestCaller;
beforeAll(async () => {
  t = await createTestController();
  admin = await t.createMember('admin');
});
afterAll(() => t.close());

const url = (rest = '', project = t.project) => `/api/v3/setting/discovery-token${rest}?project=${project}`;
const find = (secret: string) => findBySecret(t.database.db, 'discovery', secret);

it('a discovery token is shown once; both secrets work during a rotation, and one afterwards', async () => {
  const none = await admin.call('GET', url());
  expect([none.status, none.body.message]).toEqual([404, 'There is no discovery token in this project.']);
  const first = await admin.call('POST', url('/generate'), {});
  expect(first).toMatchObject({ status: 201, body: { token: expect.stringMatching(/^fltd_[\w-]{43}$/) } });
  const shown = await admin.call('GET', url());
  expect(JSON.stringify(shown.body)).not.toContain(first.body.token);
  expect(shown.body.secrets).toMatchObject([{ prefix: first.body.token.slice(0, 11), expires_at: null }]);

  const second = await admin.call('POST', url('/generate'), { overlap_s: 3600 });
  expect(second.body.secrets).toHaveLength(2);
  for (const { body } of [first, second]) expect(await find(body.token)).toMatchObject({ projectId: t.project });
  expect((await admin.call('POST', url('/generate'), { overlap_s: 60 })).body.code).toBe('token.overlap');
  const third = await admin.call('POST', url('/generate'), { overlap_s: 0 });
  expect([await find(first.body.token), await find(second.body.token)]).toEqual([undefined, undefined]);
  expect(await find(third.body.token)).toBeDefined();
});

it('a discovery token does not work as an API token, or the other way round', async () => {
  const { body } = await admin.call('POST', url('/generate'), {});
  const asBearer = await t.app.inject({ url: url(), headers: { authorization: `Bearer ${body.token}` } });
  expect(asBearer.statusCode).toBe(401);
  const api = await admin.call('POST', `/api/v3/setting/tokens?project=${t.project}`, { name: 'ci', role: 'viewer' });
  expect(await find(api.body.token)).toBeUndefined();
});

it('each project has one discovery token, and that of another project cannot be seen or ended', async () => {
  const other = await t.createProject('other');
  const theirs = await t.owner.call('POST', url('/generate', other), {});
  const ours = await admin.call('POST', url('/generate'), {});
  expect((await admin.call('DELETE', url('', other))).body.code).toBe('project.forbidden');
  expect((await admin.call('DELETE', url())).status).toBe(204);
  expect([await find(ours.body.token), (await find(theirs.body.token))?.projectId]).toEqual([undefined, other]);
  expect(
    await t.database.db.selectFrom('token_secrets').select('id').where('token_kind', '=', 'discovery').execute(),
  ).toHaveLength(1);
  expect((await admin.call('GET', url())).status).toBe(404);
});

it('a discovery token is created once by two concurrent requests', async () => {
  const both = await Promise.all([1, 2].map(() => admin.call('POST', url('/generate'), { overlap_s: 0 })));
  expect(both.map(({ status }) => status)).toEqual([201, 201]);
  expect((await admin.call('GET', url())).body.secrets).toHaveLength(1);
});
