import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';

let t: TestController;
let admin: TestCaller;
let viewer: TestCaller;
const LOGS = '/api/v3/audit/logs';
beforeAll(async () => {
  t = await createTestController();
  admin = await t.createMember('admin');
  viewer = await t.createMember('viewer');
});
afterAll(() => t.close());

interface Named {
  readonly resource: { readonly name: string | null };
}

const entries = async (query: string) => (await t.owner.call('GET', `${LOGS}?${query}`)).body.items;

describe('the audit log', () => {
  it('contains every write, in its project, with actor, action, origin and changes', async () => {
    const made = await admin.call('POST', `/api/v3/setting/tokens?project=${t.project}`, { name: 'a', role: 'viewer' });
    const [entry] = (await admin.call('GET', `${LOGS}?project=${t.project}&action=api_token.create`)).body.items;
    expect(entry).toMatchObject({
      project: t.project,
      actor: { kind: 'user', id: admin.userId, role: 'admin' },
      resource: { type: 'api_token', id: made.body.id, name: 'a' },
      outcome: 'done',
      status: 201,
      request: { method: 'POST', path: '/api/v3/setting/tokens', client_ip: '127.0.0.1' },
    });
    expect(JSON.stringify(entry)).not.toContain(made.body.token);
    const single = await admin.call('GET', `${LOGS}/${entry.id}?project=${t.project}`);
    expect(single.body).toEqual(entry);
  });

  it('contains failed sign-ins with the account if it exists, and never the typed name', async () => {
    const post = (username: string) =>
      t.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password: 'guess' } });
    await post('ADMIN');
    await post('my-secret-typed-here');
    const denied = await entries('action=session.login&outcome=denied');
    expect(denied).toHaveLength(2);
    expect(denied[1]).toMatchObject({
      resource: { type: 'user', name: 'admin' },
      error_code: 'auth.wrong_credentials',
    });
    expect(denied[0].resource).toEqual({ type: 'user', id: null, name: null });
  });

  let denials = 0;
  it.each([
    ['the user agent of a health checker', { 'user-agent': 'kube-probe/1.34' }],
    ['the user agent of a load balancer', { 'user-agent': 'ELB-HealthChecker/2.0' }],
    ['no user agent', { 'user-agent': '' }],
    ['headers that call it internal', { 'x-internal-request': 'true', 'x-forwarded-internal': '1', 'x-no-audit': '1' }],
    ['another address before it', { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' }],
  ])('contains a write and a denial that have %s', async (_, headers) => {
    const name = `h-${createId()}`;
    const path = `/api/v3/setting/tokens?project=${t.project}`;
    expect((await admin.call('POST', path, { name, role: 'viewer' }, headers)).status).toBe(201);
    expect((await viewer.call('POST', path, { name, role: 'viewer' }, headers)).status).toBe(403);
    const made = await entries(`project=${t.project}&action=api_token.create&outcome=done`);
    expect(made.filter((entry: Named) => entry.resource.name === name)).toHaveLength(1);
    const denied = await entries(`project=${t.project}&action=api_token.create&outcome=denied`);
    denials += 1;
    expect(denied).toHaveLength(denials);
  });

  it('contains denials with the requested project', async () => {
    await viewer.call('GET', `${LOGS}?project=${t.project}`);
    const [denied] = await entries(`project=${t.project}&outcome=denied&user=${viewer.userId}`);
    expect(denied).toMatchObject({ action: 'listAuditLog', error_code: 'role.forbidden', actor: { role: 'viewer' } });
    const other = await t.createProject('reached');
    await viewer.call('GET', `${LOGS}?project=${other}`);
    expect(await entries(`resource_id=${other}&outcome=denied`)).toMatchObject([
      { project: null, error_code: 'project.forbidden', status: 403, resource: { type: 'project' } },
    ]);
  });

  it('contains the target of a request under a foreign project, though the caller gets "not found"', async () => {
    const other = await t.createProject('hidden');
    const path = `/api/v3/setting/users/${viewer.userId}/memberships/${other}`;
    expect((await admin.call('DELETE', path)).body.code).toBe('record.not_found');
    await vi.waitFor(async () => {
      expect(await entries(`resource_id=${other}`)).toMatchObject([{ outcome: 'denied', status: 404, project: null }]);
    });
  });

  it('contains denials of strangers for the installation only, and the project that they named learns nothing (attack 15)', async () => {
    const other = await t.createProject('named');
    const [foreign, chief] = [await t.createMember('admin', other), await t.createMember('owner', other)];
    const token = await chief.call('POST', `/api/v3/setting/tokens?project=${other}`, { name: 'ci', role: 'admin' });
    const text = { 'user-agent': 'a text for the admins of the other project' };
    const asked = [
      ['GET', `/api/v3/setting/users?project=${t.project}`],
      ['DELETE', `/api/v3/setting/users/${admin.userId}/memberships/${t.project}`],
      ['POST', `/api/v3/setting/tokens?project=${t.project}&dry_run=true`],
    ] as const;
    for (const [method, path] of asked) {
      expect((await foreign.call(method, path, undefined, text)).status).toBeGreaterThanOrEqual(403);
      const bearer = { ...text, authorization: `Bearer ${token.body.token}` };
      expect((await foreign.call(method, path, undefined, bearer)).status).toBeGreaterThanOrEqual(403);
    }
    await vi.waitFor(async () => {
      const denied = await entries(`resource_id=${t.project}&outcome=denied&limit=100`);
      const recorded = denied.filter((entry: { request: { user_agent: string } }) =>
        entry.request.user_agent.startsWith('a text'),
      );
      expect(recorded).toHaveLength(asked.length * 2);
    });
    const own = JSON.stringify(await entries(`project=${t.project}&limit=200`));
    for (const secret of [foreign.username, foreign.userId, 'a text for', token.body.id])
      expect(own).not.toContain(secret);
  });

  it('is visible to administrators of the project and owners only, separately per project', async () => {
    const other = await t.createProject('apart');
    const entry = (await entries(`project=${t.project}&limit=1`))[0];
    expect((await viewer.call('GET', `${LOGS}?project=${t.project}`)).status).toBe(403);
    expect((await admin.call('GET', LOGS)).body.code).toBe('project.missing');
    expect((await admin.call('GET', `${LOGS}?project=${other}`)).status).toBe(403);
    const foreign = await t.createMember('admin', other);
    expect((await foreign.call('GET', `${LOGS}/${entry.id}?project=${other}`)).status).toBe(404);
  });

  it('can be filtered, searched by text, counted and paged without gaps, even within one millisecond', async () => {
    const project = await t.createProject('many');
    const at = new Date('2026-02-01T00:00:00Z');
    const rows = Array.from({ length: 57 }, (_, i) => ({
      id: createId(at.getTime()),
      at: i < 40 ? at : new Date(at.getTime() + i),
      actor_kind: 'user',
      actor_id: 'u',
      actor_name: i % 2 ? 'odd' : 'even',
      actor_role: null,
      project_id: project,
      action: 'document.update',
      resource_type: 'clusters',
      resource_id: null,
      resource_name: `c_${i}`,
      outcome: i % 3 ? ('done' as const) : ('failed' as const),
      status: 200,
      error_code: null,
      method: null,
      path: null,
      client_ip: null,
      user_agent: null,
      request_id: null,
      changes: null,
    }));
    await t.database.db.insertInto('audit_log').values(rows).execute();
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = (await t.owner.call('GET', `${LOGS}?project=${project}&limit=10${cursor}`)).body;
      seen.push(...page.items.map(({ id }: { id: string }) => id));
      cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : '';
    } while (cursor);
    expect(seen).toHaveLength(57);
    expect(new Set(seen).size).toBe(57);
    expect(await entries(`project=${project}&user=odd&outcome=failed&outcome=done&limit=100`)).toHaveLength(28);
    expect(await entries(`project=${project}&q=C_5&limit=100`)).toHaveLength(8);
    expect(await entries(`project=${project}&q=%25`)).toHaveLength(0);
    expect(await entries(`project=${project}&from=2026-02-01T00:00:00.001Z&limit=100`)).toHaveLength(17);
    expect((await t.owner.call('GET', `${LOGS}?from=yesterday`)).status).toBe(400);
    expect((await t.owner.call('GET', `${LOGS}?q=%00`)).status).toBe(400);
    expect(await entries(`project=${project}&username=OD&limit=100`)).toHaveLength(28);
    expect(await entries(`project=${project}&username=o_d`)).toHaveLength(0);
    expect(await entries(`project=${project}&user_id=u&limit=100`)).toHaveLength(57);
    expect(await entries(`project=${project}&user_id=odd`)).toHaveLength(0);
    expect(await entries(`project=${project}&success=false&limit=100`)).toHaveLength(19);
    expect(await entries(`project=${project}&success=true&limit=100`)).toHaveLength(38);
    expect(await entries(`project=${project}&start_time=2026-02-01T00:00:00.001Z&limit=100`)).toHaveLength(17);
    expect(await entries(`project=${project}&end_time=2026-02-01T00:00:00.001Z&limit=100`)).toHaveLength(40);
    for (const refused of [
      'start_time=1st of May',
      'success=perhaps',
      'success=true&outcome=done',
      'skip=50',
      'start_time=2026-02-01T00:00:00.001Z&from=2026-02-01T00:00:00.001Z',
    ])
      for (const path of [LOGS, '/api/v3/audit/stats', '/api/v3/audit/export'])
        expect((await t.owner.call('GET', `${path}?project=${project}&${refused}`)).status, refused).toBe(400);
    const stats = await t.owner.call('GET', `/api/v3/audit/stats?project=${project}`);
    expect(stats.body).toEqual({
      total_entries: 57,
      outcomes: { done: 38, failed: 19, denied: 0 },
      success_rate: 38 / 57,
      error_rate: 19 / 57,
      top_actions: { 'document.update': 57 },
      top_users: { even: 29, odd: 28 },
      top_resources: { clusters: 57 },
    });
  });

  it('is verified per project: problems of another project are neither reported nor counted', async () => {
    const VERIFY = '/api/v3/audit/verify';
    const other = await t.createProject('tampered');
    const foreign = await t.createMember('admin', other);
    await foreign.call('POST', `/api/v3/setting/tokens?project=${other}`, { name: 'a', role: 'viewer' });
    await vi.waitFor(async () => {
      const { items } = (await foreign.call('GET', `${VERIFY}?project=${other}`)).body;
      expect(items).toMatchObject([{ project: other, ok: true, unsealed: 0, checked: 1 }]);
    });
    await t.database.owner.updateTable('audit_log').set({ actor_name: 'x' }).where('project_id', '=', other).execute();
    const verdict = await foreign.call('GET', `${VERIFY}?project=${other}`);
    expect(verdict.body).toMatchObject({ ok: false, items: [{ first_bad: { kind: 'edited', seq: 1 } }] });
    const mine = await admin.call('GET', `${VERIFY}?project=${t.project}`);
    expect(mine.body).toMatchObject({ ok: true, items: [{ project: t.project, first_bad: null }] });
    expect(JSON.stringify(mine.body)).not.toContain(other);
    expect((await admin.call('GET', `${VERIFY}?project=${other}`)).status).toBe(403);
    expect((await viewer.call('GET', `${VERIFY}?project=${t.project}`)).status).toBe(403);
    expect((await admin.call('GET', VERIFY)).body.code).toBe('project.missing');
    const all = await t.owner.call('GET', VERIFY);
    expect(all.body.ok).toBe(false);
    expect(all.body.items.map(({ project }: { project: string | null }) => project)).toContain(null);
  });
});
