import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../test-controller.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

const LIST = '/api/v3/setting/projects';
const one = (id: string) => `/api/v3/setting/project/${id}`;

async function create(name: string) {
  const answer = await t.owner.call('POST', LIST, { name });
  expect(answer.status).toBe(201);
  return answer.body;
}

describe('projects', () => {
  it('are for owners of the installation only', async () => {
    const chief = await t.createMember('owner');
    for (const url of [LIST, one(t.project)]) {
      expect((await chief.call('GET', url)).body.code).toBe('owner.required');
    }
    expect((await chief.call('DELETE', one(t.project))).body.code).toBe('owner.required');
  });

  it('are made, read, changed and listed', async () => {
    const project = await create('Shop');
    expect((await t.owner.call('POST', LIST, { name: 'shop' })).body.code).toBe('record.exists');
    const read = await t.owner.call('GET', one(project.id));
    expect(read.headers.etag).toBe('"1"');
    const changed = await t.owner.call('PATCH', one(project.id), { description: 'Web shop' }, { 'if-match': '"1"' });
    expect(changed.body).toMatchObject({ name: 'Shop', description: 'Web shop', revision: 2 });
    const stale = await t.owner.call('PUT', one(project.id), { name: 'x', description: null }, { 'if-match': '"1"' });
    expect(stale.body.code).toBe('record.stale');
    const listed = await t.owner.call('GET', `${LIST}?q=shop`);
    expect(listed.body.items).toMatchObject([{ id: project.id, member_count: 0 }]);
    const dry = await t.owner.call('POST', `${LIST}?dry_run=true`, { name: 'never' });
    expect(dry).toMatchObject({ status: 200, body: { name: 'never', dry_run: true } });
    expect((await t.owner.call('GET', `${LIST}?q=never`)).body.items).toEqual([]);
  });

  it('are deleted only when nothing is in them, and say what is', async () => {
    const project = await create('full');
    const now = new Date();
    const policy = { id: createId(), project_id: project.id, name: 'p', created_at: now, updated_at: now };
    await t.database.db
      .insertInto('clients')
      .values({
        ...policy,
        id: createId(),
        name: 'edge',
        hostname: 'edge',
        os: 'linux',
        arch: 'x64',
        kernel: '6',
        agent_version: '1',
        provider: 'other',
        metadata: '{}',
        cores: 1,
        memory_bytes: 1,
        runtime_dir: '/run',
        data_dir: '/var',
      })
      .execute();
    const refused = await t.owner.call('DELETE', one(project.id));
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'project.not_empty', contents: [{ kind: 'clients', count: 1 }] });
    await t.database.db.deleteFrom('clients').where('project_id', '=', project.id).execute();
    expect((await t.owner.call('DELETE', one(project.id))).status).toBe(204);
    expect((await t.owner.call('GET', one(project.id))).status).toBe(404);
  });

  it('take their API tokens and memberships with them', async () => {
    const project = await create('brief');
    const member = await t.createMember('admin', project.id);
    const made = await member.call('POST', `/api/v3/setting/tokens?project=${project.id}`, {
      name: 'ci',
      role: 'viewer',
    });
    expect(made.status).toBe(201);
    await t.owner.call('DELETE', one(project.id));
    const profile = await t.app.inject({
      url: '/api/v3/profile',
      headers: { authorization: `Bearer ${made.body.token}` },
    });
    expect(profile.statusCode).toBe(401);
    expect((await member.call('GET', '/api/v3/profile')).body.memberships).toEqual([]);
  });
});
