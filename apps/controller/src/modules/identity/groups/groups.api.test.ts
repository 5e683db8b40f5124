import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';

let t: TestController;
let admin: TestCaller;
let other: string;
let foreignAdmin: TestCaller;
beforeAll(async () => {
  t = await createTestController();
  admin = await t.createMember('admin');
  other = await t.createProject('groups-other');
  foreignAdmin = await t.createMember('admin', other);
});
afterAll(() => t.close());

const url = (suffix = '', project = t.project) => `/api/v3/setting/groups${suffix}?project=${project}`;

async function create(name: string): Promise<string> {
  const made = await admin.call('POST', url(), { name });
  expect(made.status).toBe(201);
  return made.body.id;
}

describe('groups', () => {
  it('of another project are not found by list, count, id, name or member', async () => {
    const id = await create('shared-name');
    const twin = await foreignAdmin.call('POST', url('', other), { name: 'shared-name' });
    expect(twin.status).toBe(201);
    const member = await t.createMember('viewer');
    expect((await admin.call('PUT', url(`/${id}/members/${member.userId}`))).status).toBe(204);
    expect((await foreignAdmin.call('GET', url('', other))).body.items).toMatchObject([
      { id: twin.body.id, member_count: 0 },
    ]);
    const tries = [
      ['GET', `/${id}`],
      ['PATCH', `/${id}`, { name: 'taken' }],
      ['PUT', `/${id}`, { name: 'taken', description: null }],
      ['DELETE', `/${id}`],
      ['GET', `/${id}/members`],
      ['PUT', `/${id}/members/${foreignAdmin.userId}`],
      ['DELETE', `/${id}/members/${member.userId}`],
    ] as const;
    for (const [method, suffix, body] of tries) {
      const foreign = await foreignAdmin.call(method, url(suffix, other), body);
      const never = await foreignAdmin.call(method, url(suffix.replace(id, createId()), other), body);
      expect([foreign.status, foreign.body.code]).toEqual([404, 'record.not_found']);
      expect(never.body.code).toBe(foreign.body.code);
    }
    const stranger = await foreignAdmin.call('PUT', url(`/${twin.body.id}/members/${member.userId}`, other));
    expect([stranger.status, stranger.body.code]).toEqual([404, 'record.not_found']);
    expect((await admin.call('GET', url(`/${id}/members`))).body.items).toMatchObject([{ username: member.username }]);
  });

  it('can be created, changed by revision and deleted; a description can be removed', async () => {
    const id = await create('ops');
    expect((await admin.call('POST', url(), { name: 'OPS' })).body.code).toBe('record.exists');
    const changed = await admin.call('PATCH', url(`/${id}`), { description: 'On call' }, { 'if-match': '"1"' });
    expect(changed.body).toMatchObject({ name: 'ops', description: 'On call', revision: 2 });
    expect((await admin.call('PATCH', url(`/${id}`), { description: null })).body.description).toBeNull();
    expect((await admin.call('DELETE', url(`/${id}`), undefined, { 'if-match': '"1"' })).body.code).toBe(
      'record.stale',
    );
    const dry = await admin.call('DELETE', `${url(`/${id}`)}&dry_run=true`);
    expect(dry.status).toBeLessThan(300);
    expect((await admin.call('GET', url(`/${id}`))).status).toBe(200);
    expect((await admin.call('DELETE', url(`/${id}`))).status).toBe(204);
    expect((await admin.call('GET', url(`/${id}`))).status).toBe(404);
  });

  it('contain members of the project, who leave them with the project and do not return with it', async () => {
    const id = await create('night');
    const member = await t.createMember('viewer');
    const put = () => admin.call('PUT', url(`/${id}/members/${member.userId}`));
    expect([(await put()).status, (await put()).status]).toEqual([204, 204]);
    const membership = `/api/v3/setting/users/${member.userId}/memberships/${t.project}`;
    const count = async () => (await admin.call('GET', url(`/${id}`))).body.member_count;
    expect(await count()).toBe(1);
    await t.owner.call('PUT', membership, { role: 'editor' });
    expect(await count()).toBe(1);
    await t.database.db.deleteFrom('memberships').where('user_id', '=', member.userId).execute();
    expect(await count()).toBe(0);
    expect((await put()).status).toBe(404);
    const now = new Date();
    await t.database.db
      .insertInto('memberships')
      .values({ project_id: t.project, user_id: member.userId, role: 'viewer', created_at: now })
      .execute();
    expect(await count()).toBe(0);
    expect((await admin.call('DELETE', url(`/${id}/members/${member.userId}`))).status).toBe(404);
  });

  it('can only be changed by people, and changes are recorded', async () => {
    const made = await t.owner.call('POST', `/api/v3/setting/tokens?project=${t.project}`, {
      name: 'g',
      role: 'owner',
    });
    const headers = { authorization: `Bearer ${made.body.token}` };
    const refused = await t.app.inject({ method: 'POST', url: url(), headers, payload: { name: 'by-token' } });
    expect(refused.json().code).toBe('auth.session_required');
    expect((await t.app.inject({ url: url(), headers })).statusCode).toBe(200);
    await create('recorded');
    const rows = await t.database.db
      .selectFrom('audit_log')
      .select(['resource_name', 'actor_name'])
      .where('action', '=', 'group.create')
      .where('outcome', '=', 'done')
      .execute();
    expect(rows).toContainEqual({ resource_name: 'recorded', actor_name: admin.username });
  });
});
