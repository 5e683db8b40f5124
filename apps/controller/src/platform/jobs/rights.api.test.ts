import { groupRoutes, type RouteContract, serviceRoutes } from '@flotilla/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../testing/controller.ts';
import { findRefusal } from './rights-store.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

describe('the rights of a job are checked again when it runs', () => {
  const ask = (actor: { kind: 'user' | 'token'; id: string }, route: RouteContract = serviceRoutes.create) =>
    findRefusal(t.database.db, { actor: { ...actor, name: 'x' }, project: t.project, route });

  it('for a token: whether it exists, its scopes, and the current rights of its creator', async () => {
    const admin = await t.createMember('admin');
    const body = { name: 'runner', role: 'admin', families: ['services', 'jobs'] };
    const made = await admin.call('POST', `/api/v3/setting/tokens?project=${t.project}`, body);
    const token = { kind: 'token', id: made.body.id } as const;
    expect(await ask(token)).toBeUndefined();
    expect(await ask(token, groupRoutes.list)).toMatch('families');
    const narrowed = await admin.call('PATCH', `/api/v3/setting/tokens/${token.id}?project=${t.project}`, {
      families: ['jobs'],
    });
    expect(narrowed.status, JSON.stringify(narrowed.body)).toBe(200);
    expect(await ask(token)).toMatch('families');
    await admin.call('DELETE', `/api/v3/setting/tokens/${token.id}?project=${t.project}`);
    expect(await ask(token)).toMatch('gone');
  });

  it('for a person: whether they are active, and their role', async () => {
    const admin = await t.createMember('admin');
    const user = { kind: 'user', id: admin.userId } as const;
    expect(await ask(user)).toBeUndefined();
    const membership = `/api/v3/setting/users/${admin.userId}/memberships/${t.project}`;
    await t.owner.call('PUT', membership, { role: 'viewer' });
    expect(await ask(user)).toMatch('viewer');
    await t.owner.call('DELETE', membership);
    expect(await ask(user)).toMatch('no role');
    await t.database.db.updateTable('users').set({ active: false }).where('id', '=', admin.userId).execute();
    expect(await ask(user)).toMatch('switched off');
  });

  it('for a person from a directory: whether they still exist there, also for jobs started by their token', async () => {
    const { db } = t.database;
    const admin = await t.createMember('admin');
    const body = { name: 'left-behind', role: 'admin' };
    const token = (await admin.call('POST', `/api/v3/setting/tokens?project=${t.project}`, body)).body;
    const now = new Date();
    const identity = { issuer: 'ldap', subject: admin.userId, user_id: admin.userId, realm: 'ldap' };
    await db
      .insertInto('external_identities')
      .values({ ...identity, created_at: now, last_seen_at: now })
      .execute();
    const actors = [
      { kind: 'user', id: admin.userId },
      { kind: 'token', id: token.id },
    ] as const;
    for (const [goneAt, expected] of [
      [null, undefined],
      [now, expect.stringMatching('gone from the directory')],
      [null, undefined],
    ]) {
      await db
        .updateTable('external_identities')
        .set({ gone_at: goneAt })
        .where('user_id', '=', admin.userId)
        .execute();
      for (const actor of actors) expect(await ask(actor), actor.kind).toEqual(expected);
    }
  });
});
