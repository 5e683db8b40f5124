import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createRestrictedWorld, type RestrictedWorld } from './testing/listed-world.ts';

let w: RestrictedWorld;
let other: string;
let foreignAdmin: TestCaller;
beforeAll(async () => {
  w = await createRestrictedWorld();
  other = await w.t.createProject('grants-other');
  foreignAdmin = await w.t.createMember('admin', other);
});
afterAll(() => w.t.close());

const url = (suffix = '', project = w.t.project) => `/api/v3/setting/permissions${suffix}?project=${project}`;

describe('permissions', () => {
  it('are given to members and groups of the project on its resources, and to nothing else', async () => {
    const foreignGroup = await foreignAdmin.call('POST', `/api/v3/setting/groups?project=${other}`, { name: 'theirs' });
    const foreignClient = await w.t.createClient('foreign', other);
    const resource = { kind: 'client', id: w.shown.client } as const;
    const editor = { kind: 'user', id: w.editor.userId } as const;
    const refused = [
      await w.grant({ kind: 'group', id: foreignGroup.body.id }, resource, 'view'),
      await w.grant({ kind: 'group', id: createId() }, resource, 'view'),
      await w.grant({ kind: 'user', id: foreignAdmin.userId }, resource, 'view'),
      await w.grant(editor, { kind: 'client', id: foreignClient }, 'view'),
      await w.grant(editor, { kind: 'client', id: createId() }, 'view'),
      // A service id is not a client id.
      await w.grant(editor, { kind: 'client', id: w.shown.service }, 'view'),
    ];
    for (const { status, body } of refused) expect([status, body.code]).toEqual([404, 'record.not_found']);
    const given = await foreignAdmin.call('POST', url('', other), {
      subject: { kind: 'group', id: foreignGroup.body.id },
      resource: { kind: 'client', id: foreignClient },
      level: 'use',
    });
    expect(given.status).toBe(201);
    expect((await w.admin.call('DELETE', url(`/${given.body.id}`))).status).toBe(404);
    expect((await w.admin.call('GET', `${url()}&group_id=${foreignGroup.body.id}`)).body.items).toEqual([]);
    const reach = `/api/v3/setting/resources/${foreignClient}/reach?project=${w.t.project}&kind=client`;
    expect((await w.admin.call('GET', reach)).status).toBe(404);
  });

  it('can only be changed by admins, and only by people', async () => {
    const body = {
      subject: { kind: 'user', id: w.editor.userId },
      resource: { kind: 'policy', id: w.hidden.policy },
      level: 'change',
    };
    for (const method of ['GET', 'POST'] as const)
      expect((await w.editor.call(method, url(), method === 'POST' ? body : undefined)).status).toBe(403);
    const access = `/api/v3/setting/resource-access?project=${w.t.project}`;
    expect((await w.editor.call('PUT', access, { resource_access: 'open' })).status).toBe(403);
    const token = await w.admin.call('POST', `/api/v3/setting/tokens?project=${w.t.project}`, {
      name: 'granting',
      role: 'admin',
    });
    const headers = { authorization: `Bearer ${token.body.token}`, 'content-type': 'application/json' };
    const payload = JSON.stringify(body);
    const byToken = await w.t.app.inject({ method: 'POST', url: url(), headers, payload });
    expect([byToken.statusCode, byToken.json().code]).toEqual([403, 'auth.session_required']);
  });

  it('replace the previous level, are recorded with the old and the new one, and are not changed by a dry run', async () => {
    const member = await w.member('viewer');
    const subject = { kind: 'user', id: member.userId } as const;
    const resource = { kind: 'policy', id: w.hidden.policy } as const;
    const given = async () => (await w.admin.call('GET', `${url()}&user_id=${member.userId}`)).body.items;
    const dry = await w.admin.call('POST', `${url()}&dry_run=true`, { subject, resource, level: 'view' });
    expect(dry.body).toMatchObject({ dry_run: true, level: 'view' });
    expect(await given()).toEqual([]);
    const first = await w.grant(subject, resource, 'view');
    const second = await w.grant(subject, resource, 'use');
    expect(second.body).toMatchObject({ id: first.body.id, level: 'use', granted_by: w.admin.username });
    expect(await given()).toHaveLength(1);
    expect((await w.admin.call('DELETE', url(`/${first.body.id}`))).status).toBe(204);
    const log = await w.admin.call('GET', `/api/v3/audit/logs?project=${w.t.project}&limit=3`);
    expect(log.body.items.map(({ action, changes }: Entry) => [action, changes.level])).toEqual([
      ['permission.revoke', { before: 'use', after: null }],
      ['permission.grant', { before: 'view', after: 'use' }],
      ['permission.grant', { before: null, after: 'view' }],
    ]);
  });

  it('are changed in bulk, and each id has its own outcome', async () => {
    const member = await w.member('editor');
    const foreignClient = await w.t.createClient('foreign-too', other);
    const selection = url(`/users/clients/${member.userId}`);
    const body = { added: [w.shown.client, foreignClient, w.hidden.service], removed: [w.hidden.client] };
    const changed = await w.admin.call('PUT', selection, body);
    const outcomes = Object.fromEntries(
      changed.body.results.map(({ id, outcome, error }: Outcome) => [id, error?.code ?? outcome]),
    );
    expect(outcomes).toEqual({
      [w.shown.client]: 'done',
      [foreignClient]: 'record.not_found',
      [w.hidden.service]: 'record.not_found',
      [w.hidden.client]: 'unchanged',
    });
    const read = await w.admin.call('GET', selection);
    expect(read.body.all.map(({ id }: Outcome) => id).toSorted()).toEqual([w.shown.client, w.hidden.client].toSorted());
    expect(read.body.selected).toMatchObject([{ id: w.shown.client, name: 'shown-client', level: 'change' }]);
    const listeners = await w.admin.call('GET', url(`/users/listeners/${member.userId}`));
    expect(listeners.body.all.every(({ collection }: { collection: string }) => collection === 'listeners')).toBe(true);
    expect((await w.admin.call('GET', url(`/users/users/${member.userId}`))).status).toBe(404);
  });

  it('are listed by resource', async () => {
    const query = `project=${w.t.project}&kind=service`;
    const { items } = (await w.admin.call('GET', `/api/v3/setting/resources?${query}&q=shown`)).body;
    expect(items).toMatchObject([
      {
        id: w.shown.service,
        name: 'shown-service',
        permissions: [{ subject: { kind: 'user', id: w.editor.userId }, level: 'change' }],
      },
    ]);
    expect(
      (await foreignAdmin.call('GET', `/api/v3/setting/resources?project=${other}&kind=service`)).body.items,
    ).toEqual([]);
  });
});

interface Entry {
  readonly action: string;
  readonly changes: { readonly level: unknown };
}
interface Outcome {
  readonly id: string;
  readonly outcome: string;
  readonly error?: { readonly code: string };
}

describe('the possible subjects of permissions', () => {
  const subjects = (query: string, project = w.t.project) =>
    `/api/v3/setting/permission-subjects?project=${project}&${query}`;
  const keysOf = (body: { items: { kind: string; id: string }[] }) => body.items.map(({ kind, id }) => `${kind}:${id}`);

  it('are groups, and members of this project whose role does not give access to everything', async () => {
    const group = await w.admin.call('POST', `/api/v3/setting/groups?project=${w.t.project}`, { name: 'choice' });
    const theirs = await foreignAdmin.call('POST', `/api/v3/setting/groups?project=${other}`, { name: 'choice' });
    const viewer = await w.member('viewer');
    const all = keysOf((await w.admin.call('GET', subjects('limit=1000'))).body);
    expect(all).toEqual(expect.arrayContaining([`group:${group.body.id}`, `user:${viewer.userId}`]));
    expect(all.join()).not.toMatch(new RegExp([w.admin.userId, w.t.owner.userId, theirs.body.id].join('|')));
    expect(keysOf((await w.admin.call('GET', subjects('q=choice'))).body)).toEqual([`group:${group.body.id}`]);
    const named = subjects(`subject_id=${viewer.userId}&subject_id=${theirs.body.id}&subject_id=${w.admin.userId}`);
    expect(keysOf((await w.admin.call('GET', named)).body)).toEqual([`user:${viewer.userId}`]);
    const many = Array.from({ length: 51 }, () => `subject_id=${createId()}`).join('&');
    expect((await w.admin.call('GET', subjects(many))).status).toBe(400);
    expect((await viewer.call('GET', subjects(''))).status).toBe(403);
  });

  it('can be selected, with only their own permissions on resources; those on a whole kind are listed separately', async () => {
    const viewer = await w.member('viewer');
    const subject = { kind: 'user', id: viewer.userId } as const;
    await w.grant(subject, { kind: 'service', id: w.shown.service }, 'view');
    await w.grant(subject, { kind: 'service', id: null }, 'use');
    const things = (query: string) =>
      w.admin.call('GET', `/api/v3/setting/resources?project=${w.t.project}&kind=service&q=shown&${query}`);
    const [chosen] = (await things(`subject_id=${viewer.userId}`)).body.items;
    expect(chosen.permissions).toMatchObject([{ subject, level: 'view' }]);
    expect((await things(`subject_id=${createId()}`)).body.items).toMatchObject([{ permissions: [] }]);
    const listed = async (whole: boolean) =>
      (await w.admin.call('GET', `${url()}&user_id=${viewer.userId}&whole=${whole}`)).body.items;
    expect(await listed(true)).toMatchObject([{ resource: { kind: 'service', id: null }, level: 'use' }]);
    expect(await listed(false)).toMatchObject([{ resource: { id: w.shown.service }, level: 'view' }]);
  });
});
