import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../test-controller.ts';

let t: TestController;
let url: string;
beforeAll(async () => {
  t = await createTestController({ SVC_GRPC_ADVERTISE: 'controller.example.com:9000' });
  url = `/api/v3/setting/enrolment-tokens?project=${t.project}`;
});
afterAll(() => t?.close());

describe('enrolment tokens', () => {
  it('are shown once, with a command to run on the host, and kept as a digest', async () => {
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

  it('last an hour unless told otherwise, and a week at most', async () => {
    const created = await t.owner.call('POST', url, {});
    const { created_at, expires_at } = created.body;
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(3_600_000);
    expect((await t.owner.call('POST', url, { ttl_s: 7 * 86_400 + 1 })).status).toBe(400);
    expect((await t.owner.call('POST', url, { ttl_s: 1 })).status).toBe(400);
  });

  it('are for owners and admins of their project alone', async () => {
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

  it('can be looked for by status and note, page by page', async () => {
    for (let i = 0; i < 5; i += 1) await t.owner.call('POST', url, { note: `rack ${i}` });
    const first = await t.owner.call('GET', `${url}&q=rack&limit=3&status=open`);
    expect(first.body.items).toHaveLength(3);
    const second = await t.owner.call('GET', `${url}&q=rack&limit=3&status=open&cursor=${first.body.next_cursor}`);
    expect(second.body.items).toHaveLength(2);
    expect(second.body.next_cursor).toBeNull();
    expect((await t.owner.call('GET', `${url}&status=used`)).body.items).toEqual([]);
  });

  it('make nothing on a dry run', async () => {
    const before = await t.owner.call('GET', `${url}&limit=1000`);
    const dry = await t.owner.call('POST', `${url}&dry_run=true`, {});
    expect(dry.status).toBe(200);
    expect(dry.body.dry_run).toBe(true);
    expect(JSON.stringify(dry.body)).not.toContain('flte_');
    const after = await t.owner.call('GET', `${url}&limit=1000`);
    expect(after.body.items).toHaveLength(before.body.items.length);
  });
});
