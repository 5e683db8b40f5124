import { randomBytes } from 'node:crypto';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { BASE, fetchFile, makeBackup, SECRET_FILES, SECRET_POLICY, uploadBackup } from './testing/restore.ts';

let t: TestController;
let other: string;
let admin: TestCaller;

beforeAll(async () => {
  t = await createTestController();
  other = await t.createProject('other');
  admin = await t.createMember('admin');
});
afterAll(() => t.close());

describe('a backup of the installation', () => {
  it('is encrypted with a passphrase, verified and recorded, and can be downloaded', async () => {
    const passphrase = 'a passphrase for the safe';
    const view = await makeBackup(t.owner, '', { passphrase, description: 'first' });
    expect(view).toMatchObject({ project: null, origin: 'made', protection: 'passphrase', secret_free: false });
    expect(view.verified_at).not.toBeNull();
    const rows = Object.fromEntries(view.sections.map((one: { name: string; rows: number }) => [one.name, one.rows]));
    expect(rows.users).toBe(2);
    expect(rows.certificate_authority).toBe(1);
    const file = await fetchFile(t, t.owner, '', view.id);
    expect(file.length).toBe(view.bytes);
    expect(file.includes(admin.username)).toBe(false);
    const { body: job } = await t.owner.call('GET', '/api/v3/jobs?type=backup.export');
    expect(JSON.stringify(job)).not.toContain(passphrase);
    const text = JSON.stringify(await t.database.owner.selectFrom('audit_log').selectAll().execute());
    expect(text).not.toContain(passphrase);
    for (const action of ['backup.export', 'backup.download']) expect(text).toContain(action);
  });

  it('without secrets needs no passphrase and contains no secret tables', async () => {
    const view = await makeBackup(t.owner, '', { secret_free: true });
    expect(view.protection).toBe('none');
    const names = view.sections.map((one: { name: string }) => one.name);
    for (const name of ['certificate_authority', 'token_secrets', 'installation']) expect(names).not.toContain(name);
    const checked = await t.owner.call('POST', `${BASE}/backup/validate`, { backup: view.id });
    expect(checked.status).toBe(200);
  });

  it('cannot be created, read or deleted by an admin of a project', async () => {
    const view = await makeBackup(t.owner, '', { secret_free: true });
    for (const [method, path] of [
      ['GET', `/backups/${view.id}?project=${t.project}`],
      ['GET', `/backups/${view.id}/file?project=${t.project}`],
      ['DELETE', `/backups/${view.id}?project=${t.project}`],
    ] as const)
      expect((await admin.call(method, `${BASE}${path}`)).status).toBe(404);
    expect((await admin.call('POST', `${BASE}/backup/export`, {})).status).toBeGreaterThanOrEqual(400);
    const { body } = await admin.call('GET', `${BASE}/backups?project=${t.project}`);
    expect(body.items.map((one: { id: string }) => one.id)).not.toContain(view.id);
  });
});

describe('a backup of a project', () => {
  it('accepts no passphrase from a project admin, who could then read write-only secrets', async () => {
    const query = `?project=${t.project}`;
    const answer = await admin.call('POST', `${BASE}/backup/export${query}`, {
      passphrase: 'a passphrase of an admin',
    });
    expect([answer.status, answer.body.code]).toEqual([403, 'backup.owner_passphrase']);
    expect((await makeBackup(admin, query, {})).protection).toBe('installation');
  });

  it('and its file are not accessible from another project', async () => {
    const view = await makeBackup(t.owner, `?project=${other}`, { secret_free: true });
    const paths = [
      `/backups/${view.id}?project=${t.project}`,
      `/backups/${view.id}/file?project=${t.project}`,
      `/backups/..%2f${view.id}/file?project=${t.project}`,
    ];
    for (const path of paths) expect([400, 404]).toContain((await admin.call('GET', `${BASE}${path}`)).status);
    expect((await admin.call('GET', `${BASE}/backups?project=${other}`)).status).toBe(403);
  });
});

it('a backup of a project contains only manifests of that project', async () => {
  const [first, second] = [await t.createProject('first'), await t.createProject('second')];
  for (const [project, name] of [
    [first, 'one'],
    [second, 'one'],
    [second, 'two'],
  ]) {
    const policy = { name, text: SECRET_POLICY.replace('name: guard', `name: ${name}`), files: SECRET_FILES };
    const created = await t.owner.call('POST', `/api/v3/shield/policies?project=${project}`, policy);
    expect(created.status, JSON.stringify(created.body)).toBe(201);
  }
  const { sections } = await makeBackup(t.owner, `?project=${first}`, {});
  expect(sections.map(({ name, rows }: { name: string; rows: number }) => [name, rows])).toEqual([
    ['documents', 0],
    ['policies', 1],
    ['services', 0],
    ['settings', 0],
  ]);
});

describe('an upload', () => {
  it('that is not a backup is refused and not stored', async () => {
    const before = await t.owner.call('GET', `${BASE}/backups?project=${other}`);
    const refused = await uploadBackup(t, t.owner, `?project=${other}`, randomBytes(5000));
    expect([refused.status, refused.body.code]).toEqual([400, 'backup.not_a_backup']);
    expect((await t.owner.call('GET', `${BASE}/backups?project=${other}`)).body).toEqual(before.body);
  });

  it('is stored with the facts of its header, and is not verified until it is validated', async () => {
    const query = `?project=${t.project}`;
    const created = await makeBackup(admin, query, { secret_free: true });
    const file = await fetchFile(t, admin, query, created.id);
    const stored = await uploadBackup(t, admin, query, file);
    expect([stored.status, stored.body.origin, stored.body.verified_at]).toEqual([201, 'uploaded', null]);
    expect(stored.body.content).toMatchObject({ kind: 'project', own: true });
    const flipped = Buffer.from(file);
    flipped[file.length - 70] = (flipped[file.length - 70] ?? 0) ^ 1;
    const broken = await uploadBackup(t, admin, query, flipped);
    expect(broken.status).toBe(201);
    const checked = await admin.call('POST', `${BASE}/backup/validate${query}`, { backup: broken.body.id });
    expect([checked.status, checked.body.code]).toEqual([400, 'backup.tampered']);
    const cut = await uploadBackup(t, admin, query, file.subarray(0, file.length - 10));
    const truncated = await admin.call('POST', `${BASE}/backup/validate${query}`, { backup: cut.body.id });
    expect([truncated.status, truncated.body.code]).toEqual([400, 'backup.truncated']);
  });

  it('is refused when the project has 20 uploads; other projects are not affected', async () => {
    const full = await t.createProject('full');
    const query = `?project=${full}`;
    const file = await fetchFile(t, t.owner, query, (await makeBackup(t.owner, query, { secret_free: true })).id);
    const uploads = [];
    for (let i = 0; i < 20; i += 1) uploads.push(await uploadBackup(t, t.owner, query, file));
    expect(uploads.map(({ status }) => status)).toEqual(uploads.map(() => 201));
    const more = await uploadBackup(t, t.owner, query, file);
    expect([more.status, more.body.code]).toEqual([409, 'setting.too_many']);
    expect((await uploadBackup(t, t.owner, `?project=${other}`, file)).status).toBe(201);
    await t.owner.call('DELETE', `${BASE}/backups/${uploads[0]?.body.id}${query}`);
    expect((await uploadBackup(t, t.owner, query, file)).status).toBe(201);
  });

  it('of binary content is refused by other routes', async () => {
    const answer = await t.app.inject({
      method: 'POST',
      url: `${BASE}/backup/validate?project=${t.project}`,
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/octet-stream' },
      payload: Buffer.from('{}'),
    });
    expect(answer.statusCode).toBe(415);
  });
});

describe('a scheduled backup', () => {
  const actor = { kind: 'system', id: null, name: 'test' } as const;
  type Shown = {
    readonly id: string;
    readonly verified_at: string | null;
    readonly restore_test: { is_good: boolean };
  };

  async function runScheduled(params: object, project: string | null = other) {
    const { jobs } = t.controller;
    const type = jobs.types.get('backup.scheduled');
    if (!type) throw new Error('the job type is not registered');
    const { id } = await t.database.db
      .transaction()
      .execute((tx) => jobs.enqueue(tx, type, { params, project, actor }));
    return vi.waitFor(
      async () => {
        const { body } = await t.owner.call('GET', `/api/v3/jobs/${id}${project ? `?project=${project}` : ''}`);
        expect(body.ended_at, JSON.stringify(body)).not.toBeNull();
        return body;
      },
      { interval: 50 },
    );
  }
  async function listScheduled(project: string | null = other): Promise<Shown[]> {
    const { body } = await t.owner.call('GET', `${BASE}/backups${project ? `?project=${project}` : ''}`);
    return body.items.filter((one: { origin: string }) => one.origin === 'scheduled');
  }

  it('is tested, and the oldest are deleted with their files', async () => {
    const seen: string[] = [];
    for (let created = 1; created <= 3; created += 1) {
      expect((await runScheduled({ keep: 2, secret_free: true })).status).toBe('done');
      const scheduled = await listScheduled();
      expect(scheduled).toHaveLength(Math.min(created, 2));
      expect(scheduled.every((one) => one.verified_at !== null && one.restore_test.is_good)).toBe(true);
      seen.push(scheduled[0]?.id ?? '');
    }
    expect((await t.owner.call('GET', `${BASE}/backups/${seen[0]}?project=${other}`)).status).toBe(404);
  });

  it('deletes backups that are too old, except the newest', async () => {
    const project = await t.createProject('old');
    for (let created = 0; created < 3; created += 1) await runScheduled({}, project);
    await t.database.owner
      .updateTable('backups')
      .set({ created_at: new Date(Date.now() - 9 * 86_400_000) })
      .where('project_id', '=', project)
      .execute();
    await runScheduled({ keep_days: 7 }, project);
    expect(await listScheduled(project)).toHaveLength(1);
  });

  it('of the installation is tested with its passphrase, by reading every row', async () => {
    expect((await runScheduled({ passphrase: 'a passphrase at night' }, null)).status).toBe('done');
    const [newest] = await listScheduled(null);
    expect(newest?.restore_test).toMatchObject({
      is_good: true,
      message: expect.stringMatching(/^All \d+ rows/),
    });
  });

  it('that cannot be restored reports the reason and fails its job, and previous backups are kept', async () => {
    const project = await t.createProject('broken');
    expect((await runScheduled({ keep: 1 }, project)).status).toBe('done');
    const now = new Date();
    await t.database.owner
      .insertInto('documents')
      .values({
        id: createId(),
        project_id: project,
        version: '1.40.0',
        collection: 'clusters',
        name: 'not a valid name',
        type: 'envoy.config.cluster.v3.Cluster',
        description: null,
        labels: '{}',
        resource: '{}',
        sealed: null,
        private: '[]',
        created_at: now,
        updated_at: now,
        updated_by: 'test',
      })
      .execute();
    const failed = await runScheduled({ keep: 1 }, project);
    expect([failed.status, failed.error.code]).toEqual(['failed', 'backup.test_failed']);
    expect((await listScheduled(project)).map(({ restore_test: test }) => test.is_good)).toEqual([false, true]);
  });
});

it('a scheduled backup of a project fails if it has a passphrase', async () => {
  const params = { passphrase: 'a passphrase of an admin' };
  const schedule = { name: 'nightly', type: 'backup.scheduled', cron: '0 3 * * *', params };
  const query = `?project=${t.project}`;
  const created = await admin.call('POST', `/api/v3/jobs/schedules${query}`, schedule);
  expect(created.status).toBe(201);
  expect(JSON.stringify(created.body)).not.toContain(params.passphrase);
  const { jobs } = t.controller;
  const type = jobs.types.get('backup.scheduled');
  if (!type) throw new Error('the job type is not registered');
  const order = {
    params,
    project: t.project,
    actor: { kind: 'user', id: admin.userId, name: admin.username } as const,
  };
  const { id } = await t.database.db.transaction().execute((tx) => jobs.enqueue(tx, type, order));
  await vi.waitFor(
    async () =>
      expect((await admin.call('GET', `/api/v3/jobs/${id}${query}`)).body.error?.code).toBe('backup.owner_passphrase'),
    { interval: 100 },
  );
});
