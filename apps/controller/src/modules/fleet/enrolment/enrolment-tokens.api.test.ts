import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBySecret } from '../../../platform/tokens/index.ts';
import { createTestController, type TestController } from '../../../testing/controller.ts';

let t: TestController;
let url: string;
beforeAll(async () => {
  t = await createTestController({ SVC_GRPC_ADVERTISE: 'controller.example.com:9000' });
  url = `/api/v3/setting/enrolment-tokens?project=${t.project}`;
});
afterAll(() => t?.close());

describe('enrolment tokens', () => {
  it('are shown once, with a command to run on the host, and stored as a digest', async () => {
    const created = await t.owner.call('POST', url, { note: 'edge 1', ttl_s: 600 });
    expect(created.status).toBe(201);
    const { id, token, command, ca_fingerprint } = created.body;
    expect(token).toMatch(/^flte_[\w-]{43}\.[\w-]{43}$/);
    expect(token.endsWith(ca_fingerprint)).toBe(true);
    expect(command).toBe(`SVC_AGENT_ENROL_TOKEN=${token} flotilla agent --controller controller.example.com:9000`);
    const listed = await t.owner.call('GET', url);
    expect(listed.body.items).toMatchObject([{ id, note: 'edge 1', status: 'open', client_id: null }]);
    expect(JSON.stringify(listed.body)).not.toContain(token);
    const rows = await t.database.db
      .selectFrom('audit_log')
      .select(['action', 'changes'])
      .where('action', '=', 'enrolment_token.create')
      .execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('expire after an hour by default, and after a week at most', async () => {
    const created = await t.owner.call('POST', url, {});
    const { created_at, expires_at } = created.body;
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(3_600_000);
    expect((await t.owner.call('POST', url, { ttl_s: 7 * 86_400 + 1 })).status).toBe(400);
    expect((await t.owner.call('POST', url, { ttl_s: 1 })).status).toBe(400);
  });

  it('are for owners and admins of their project only', async () => {
    const { body } = await t.owner.call('POST', url, {});
    for (const role of ['editor', 'viewer'] as const) {
      const member = await t.createMember(role);
      expect((await member.call('POST', url, {})).status).toBe(403);
      expect((await member.call('GET', url)).status).toBe(403);
      expect((await member.call('DELETE', url.replace('?', `/${body.id}?`))).status).toBe(403);
    }
    const elsewhere = await t.createProject('elsewhere');
    const stranger = await t.createMember('admin', elsewhere);
    expect((await stranger.call('GET', url)).status).toBe(403);
    const own = url.replace(t.project, elsewhere).replace('?', `/${body.id}?`);
    expect((await stranger.call('DELETE', own)).status).toBe(404);
  });

  it('can be withdrawn', async () => {
    const { body } = await t.owner.call('POST', url, {});
    const one = url.replace('?', `/${body.id}?`);
    expect((await t.owner.call('DELETE', `${one}&dry_run=true`)).status).toBe(200);
    expect((await t.owner.call('DELETE', one)).status).toBe(204);
    expect((await t.owner.call('DELETE', one)).status).toBe(404);
  });

  it('can be found by status and note, page by page', async () => {
    for (let i = 0; i < 5; i += 1) await t.owner.call('POST', url, { note: `rack ${i}` });
    const first = await t.owner.call('GET', `${url}&q=rack&limit=3&status=open`);
    expect(first.body.items).toHaveLength(3);
    const second = await t.owner.call('GET', `${url}&q=rack&limit=3&status=open&cursor=${first.body.next_cursor}`);
    expect(second.body.items).toHaveLength(2);
    expect(second.body.next_cursor).toBeNull();
    expect((await t.owner.call('GET', `${url}&status=used`)).body.items).toEqual([]);
  });

  it('are not created by a dry run', async () => {
    const before = await t.owner.call('GET', `${url}&limit=1000`);
    const dry = await t.owner.call('POST', `${url}&dry_run=true`, {});
    expect(dry.status).toBe(200);
    expect(dry.body.dry_run).toBe(true);
    expect(JSON.stringify(dry.body)).not.toContain('flte_');
    const after = await t.owner.call('GET', `${url}&limit=1000`);
    expect(after.body.items).toHaveLength(before.body.items.length);
  });

  it('are void, and shown as such, while their creator could create none', async () => {
    const admin = await t.createMember('admin');
    const { body: made } = await admin.call('POST', url, { note: 'of an admin' });
    const { body: api } = await admin.call('POST', `/api/v3/setting/tokens?project=${t.project}`, {
      name: 'machine',
      role: 'admin',
    });
    const byMachine = await t.app.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${api.token}` },
      payload: { note: 'of their machine' },
    });
    expect(byMachine.statusCode).toBe(201);
    const setRole = (role: string) =>
      t.owner.call('PUT', `/api/v3/setting/users/${admin.userId}/memberships/${t.project}`, { role });
    const list = async (status: string) => {
      const { body } = await t.owner.call('GET', `${url}&q=${encodeURIComponent('of ')}&status=${status}`);
      return body.items.map(({ note }: { note: string }) => note);
    };
    expect(await list('open')).toEqual(['of their machine', 'of an admin']);
    expect((await setRole('editor')).status).toBe(200);
    expect([await list('open'), await list('void')]).toEqual([[], ['of their machine', 'of an admin']]);
    const rotated = await t.owner.call('POST', url.replace('?', `/${made.id}/rotate?`), {});
    expect(rotated).toMatchObject({ status: 409, body: { code: 'enrolment.token_closed' } });
    expect((await setRole('admin')).status).toBe(200);
    expect([await list('open'), await list('void')]).toEqual([['of their machine', 'of an admin'], []]);
    expect((await t.owner.call('POST', url.replace('?', `/${made.id}/rotate?`), {})).status).toBe(200);
    expect((await setRole('viewer')).status).toBe(200);
    // The owner's secret keeps it open.
    expect([await list('open'), await list('void')]).toEqual([['of an admin'], ['of their machine']]);
  });

  describe('during a rotation', () => {
    const rotate = (id: string, body?: object, by = t.owner, project = t.project) =>
      by.call('POST', `/api/v3/setting/enrolment-tokens/${id}/rotate?project=${project}`, body);
    const make = async () => (await t.owner.call('POST', url, { note: 'rotated', ttl_s: 7200 })).body;
    const show = async (id: string) =>
      (await t.owner.call('GET', `${url}&limit=1000`)).body.items.find((one: { id: string }) => one.id === id);
    const find = (token: string) => findBySecret(t.database.db, 'enrolment', token.slice(5).split('.')[0] ?? '');

    it('have a new secret, shown once, and the old one for a while; the expiry of the token stays', async () => {
      const first = await make();
      const { status, body } = await rotate(first.id, { overlap_s: 600 });
      expect([status, body.id, body.expires_at]).toEqual([200, first.id, first.expires_at]);
      expect(body.token).toMatch(/^flte_/);
      expect(body.token).not.toBe(first.token);
      expect(body.command).toContain(`SVC_AGENT_ENROL_TOKEN=${body.token} `);
      expect(body.secrets).toMatchObject([
        { prefix: body.token.slice(0, 11), expires_at: null },
        { prefix: first.token.slice(0, 11), expires_at: expect.any(String) },
      ]);
      const left = Date.parse(body.secrets[1].expires_at) - Date.now();
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(600_000);
      for (const { token } of [first, body]) {
        expect(await find(token)).toMatchObject({ tokenId: first.id, projectId: t.project });
        expect(JSON.stringify(await show(first.id))).not.toContain(token);
      }
      expect((await rotate(first.id, { overlap_s: 60 })).body.code).toBe('token.overlap');
      const third = (await rotate(first.id, { overlap_s: 0 })).body;
      expect(await Promise.all([first, body].map(({ token }) => find(token)))).toEqual([undefined, undefined]);
      expect(await find(third.token)).toBeDefined();
      const record = await t.database.db
        .selectFrom('audit_log')
        .select('changes')
        .where('action', '=', 'enrolment_token.rotate')
        .where('outcome', '=', 'done')
        .orderBy('id')
        .execute();
      expect(record.at(-1)?.changes).toEqual({ overlap_s: 0, prefix: third.token.slice(0, 11) });
      expect(JSON.stringify(record)).not.toContain(third.token.slice(12));
    });

    it('keep the old secret for an hour by default, and never longer than the token', async () => {
      const first = await make();
      const usual = (await rotate(first.id)).body.secrets[1];
      expect(Math.round((Date.parse(usual.expires_at) - Date.now()) / 600_000)).toBe(6);
      const other = await make();
      const capped = (await rotate(other.id, { overlap_s: 7 * 86_400 })).body;
      expect(Date.parse(capped.secrets[1].expires_at)).toBeLessThanOrEqual(Date.parse(capped.expires_at));
      expect((await rotate(other.id, { overlap_s: 7 * 86_400 + 1 })).status).toBe(400);
    });

    it('get no new secret if they are used or expired, or in a dry run', async () => {
      const first = await make();
      const dry = await t.owner.call('POST', url.replace('?', `/${first.id}/rotate?dry_run=true&`), {});
      expect(dry.body).toMatchObject({ dry_run: true, id: first.id });
      expect(JSON.stringify(dry.body)).not.toContain('SVC_AGENT_ENROL_TOKEN');
      expect((await show(first.id)).secrets).toHaveLength(1);
      const { db } = t.database;
      await db.updateTable('enrolment_tokens').set({ used_at: new Date() }).where('id', '=', first.id).execute();
      expect(await rotate(first.id)).toMatchObject({ status: 409, body: { code: 'enrolment.token_closed' } });
      const past = { expires_at: new Date(Date.now() - 1000) };
      const second = await make();
      await db.updateTable('enrolment_tokens').set(past).where('id', '=', second.id).execute();
      expect((await rotate(second.id)).body.code).toBe('enrolment.token_closed');
    });

    it('belong to their project, and to its owners and admins', async () => {
      const first = await make();
      const foreign = await t.createProject('foreign');
      const stranger = await t.createMember('admin', foreign);
      expect((await rotate(first.id, {}, stranger)).body.code).toBe('project.forbidden');
      expect((await rotate(first.id, {}, stranger, foreign)).body.code).toBe('record.not_found');
      expect((await rotate(first.id, {}, await t.createMember('editor'))).body.code).toBe('role.forbidden');
      expect(await find(first.token)).toBeDefined();
      expect((await show(first.id)).secrets).toHaveLength(1);
    });

    it('keep two secrets at most if two people rotate at once', async () => {
      const first = await make();
      const both = await Promise.all([1, 2, 3].map(() => rotate(first.id, { overlap_s: 600 })));
      expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
      expect((await show(first.id)).secrets).toHaveLength(2);
    });
  });
});
