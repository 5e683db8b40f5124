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
  it('is made by pass phrase, read whole, fetched, recorded; and holds nothing in the open', async () => {
    const passphrase = 'a phrase for the safe';
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

  it('without secrets opens without a pass phrase and has none', async () => {
    const view = await makeBackup(t.owner, '', { secret_free: true });
    expect(view.protection).toBe('none');
    const names = view.sections.map((one: { name: string }) => one.name);
    for (const name of ['certificate_authority', 'token_secrets', 'installation']) expect(names).not.toContain(name);
    const checked = await t.owner.call('POST', `${BASE}/backup/validate`, { backup: view.id });
    expect(checked.status).toBe(200);
  });

  it('is no project admin’s to make, to see or to take', async () => {
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
  it('sets no pass phrase of a project admin, who could read what is write-only', async () => {
    const query = `?project=${t.project}`;
    const answer = await admin.call('POST', `${BASE}/backup/export${query}`, { passphrase: 'a phrase of an admin' });
    expect([answer.status, answer.body.code]).toEqual([403, 'backup.owner_passphrase']);
    expect((await makeBackup(admin, query, {})).protection).toBe('installation');
  });

  it('is of no other project, and not its file', async () => {
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

it('a backup of a project contains the manifests of that project alone', async () => {
  const [far, near] = [await t.createProject('far'), await t.createProject('near')];
  for (const [project, name] of [
    [far, 'one'],
    [near, 'one'],
    [near, 'two'],
  ]) {
    const policy = { name, text: SECRET_POLICY.replace('name: guard', `name: ${name}`), files: SECRET_FILES };
    const made = await t.owner.call('POST', `/api/v3/shield/policies?project=${project}`, policy);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  }
  const { sections } = await makeBackup(t.owner, `?project=${far}`, {});
  expect(sections.map(({ name, rows }: { name: string; rows: number }) => [name, rows])).toEqual([
    ['documents', 0],
    ['policies', 1],
    ['services', 0],
    ['settings', 0],
  ]);
});

describe('an upload', () => {
  it('that is no backup is refused and leaves nothing', async () => {
    const before = await t.owner.call('GET', `${BASE}/backups?project=${other}`);
    const refused = await uploadBackup(t, t.owner, `?project=${other}`, randomBytes(5000));
    expect([refused.status, refused.body.code]).toEqual([400, 'backup.not_a_backup']);
    expect((await t.owner.call('GET', `${BASE}/backups?project=${other}`)).body).toEqual(before.body);
  });

  it('is taken with what it says of itself, and is not believed before it was read', async () => {
    const query = `?project=${t.project}`;
    const made = await makeBackup(admin, query, { secret_free: true });
    const file = await fetchFile(t, admin, query, made.id);
    const taken = await uploadBackup(t, admin, query, file);
    expect([taken.status, taken.body.origin, taken.body.verified_at]).toEqual([201, 'uploaded', null]);
    expect(taken.body.content).toMatchObject({ kind: 'project', own: true });
    const turned = Buffer.from(file);
    turned[file.length - 70] = (turned[file.length - 70] ?? 0) ^ 1;
    const broken = await uploadBackup(t, admin, query, turned);
    expect(broken.status).toBe(201);
    const checked = await admin.call('POST', `${BASE}/backup/validate${query}`, { backup: broken.body.id });
    expect([checked.status, checked.body.code]).toEqual([400, 'backup.tampered']);
    const cut = await uploadBackup(t, admin, query, file.subarray(0, file.length - 10));
    const truncated = await admin.call('POST', `${BASE}/backup/validate${query}`, { backup: cut.body.id });
    expect([truncated.status, truncated.body.code]).toEqual([400, 'backup.truncated']);
  });

  it('is refused where there are as many as are kept, in that project alone', async () => {
    const full = await t.createProject('full');
    const query = `?project=${full}`;
    const file = await fetchFile(t, t.owner, query, (await makeBackup(t.owner, query, { secret_free: true })).id);
    const taken = [];
    for (let i = 0; i < 20; i += 1) taken.push(await uploadBackup(t, t.owner, query, file));
    expect(taken.map(({ status }) => status)).toEqual(taken.map(() => 201));
    const more = await uploadBackup(t, t.owner, query, file);
    expect([more.status, more.body.code]).toEqual([409, 'setting.too_many']);
    expect((await uploadBackup(t, t.owner, `?project=${other}`, file)).status).toBe(201);
    await t.owner.call('DELETE', `${BASE}/backups/${taken[0]?.body.id}${query}`);
    expect((await uploadBackup(t, t.owner, query, file)).status).toBe(201);
  });

  it('of bytes is taken nowhere else', async () => {
    const answer = await t.app.inject({
      method: 'POST',
      url: `${BASE}/backup/validate?project=${t.project}`,
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/octet-stream' },
      payload: Buffer.from('{}'),
    });
    expect(answer.statusCode).toBe(415);
  });
});

describe('a scheduled one', () => {
  const actor = { kind: 'system', id: null, name: 'test' } as const;
  type Shown = {
    readonly id: string;
    readonly verified_at: string | null;
    readonly restore_test: { is_good: boolean };
  };

  async function runScheduled(params: object, project: string | null = other) {
    const { jobs } = t.controller;
    const type = jobs.types.get('backup.scheduled');
    if (!type) throw new Error('there is such a type');
    const { id } = await t.database.db
      .transaction()
      .execute((tx) => jobs.enqueue(tx, type, { params, project, actor }));
    return vi.waitFor(
      async () => {
        const { body } = await t.owner.call('GET', `/api/v3/jobs/${id}${project ? `?project=${project}` : ''}`);
        expect(body.ended_at, JSON.stringify(body)).not.toBeNull();
        return body;
      },
      { timeout: 30_000, interval: 50 },
    );
  }
  async function listScheduled(project: string | null = other): Promise<Shown[]> {
    const { body } = await t.owner.call('GET', `${BASE}/backups${project ? `?project=${project}` : ''}`);
    return body.items.filter((one: { origin: string }) => one.origin === 'scheduled');
  }

  it('keeps the newest, each tried out, and takes the oldest away with its file', async () => {
    const seen: string[] = [];
    for (let made = 1; made <= 3; made += 1) {
      expect((await runScheduled({ keep: 2, secret_free: true })).status).toBe('done');
      const scheduled = await listScheduled();
      expect(scheduled).toHaveLength(Math.min(made, 2));
      expect(scheduled.every((one) => one.verified_at !== null && one.restore_test.is_good)).toBe(true);
      seen.push(scheduled[0]?.id ?? '');
    }
    expect((await t.owner.call('GET', `${BASE}/backups/${seen[0]}?project=${other}`)).status).toBe(404);
  });

  it('keeps none that is too old, but the newest of all', async () => {
    const old = await t.createProject('ages');
    for (let made = 0; made < 3; made += 1) await runScheduled({}, old);
    await t.database.owner
      .updateTable('backups')
      .set({ created_at: new Date(Date.now() - 9 * 86_400_000) })
      .where('project_id', '=', old)
      .execute();
    await runScheduled({ keep_days: 7 }, old);
    expect(await listScheduled(old)).toHaveLength(1);
  });

  it('of the installation is opened with its pass phrase and read to the last row', async () => {
    expect((await runScheduled({ passphrase: 'a phrase for the night' }, null)).status).toBe('done');
    const [newest] = await listScheduled(null);
    expect(newest?.restore_test).toMatchObject({
      is_good: true,
      message: expect.stringMatching(/^Every one of its \d+/),
    });
  });

  it('that could not be restored says so, fails its job, and those of before stay', async () => {
    const sick = await t.createProject('sick');
    expect((await runScheduled({ keep: 1 }, sick)).status).toBe('done');
    const now = new Date();
    await t.database.owner
      .insertInto('documents')
      .values({
        id: createId(),
        project_id: sick,
        version: '1.40.0',
        collection: 'clusters',
        name: 'no name that anybody can give',
        type: 'envoy.config.cluster.v3.Cluster',
        description: null,
        labels: '{}',
        resource: '{}',
        sealed: null,
        private: '[]',
        created_at: now,
        updated_at: now,
        updated_by: 'a disk',
      })
      .execute();
    const failed = await runScheduled({ keep: 1 }, sick);
    expect([failed.status, failed.error.code]).toEqual(['failed', 'backup.test_failed']);
    expect((await listScheduled(sick)).map(({ restore_test: test }) => test.is_good)).toEqual([false, true]);
  });
});

it('a schedule of a project takes no pass phrase', async () => {
  const params = { passphrase: 'a phrase of an admin' };
  const schedule = { name: 'nightly', type: 'backup.scheduled', cron: '0 3 * * *', params };
  const query = `?project=${t.project}`;
  const made = await admin.call('POST', `/api/v3/jobs/schedules${query}`, schedule);
  expect(made.status).toBe(201);
  expect(JSON.stringify(made.body)).not.toContain(params.passphrase);
  const { jobs } = t.controller;
  const type = jobs.types.get('backup.scheduled');
  if (!type) throw new Error('there is such a type');
  const order = {
    params,
    project: t.project,
    actor: { kind: 'user', id: admin.userId, name: admin.username } as const,
  };
  const { id } = await t.database.db.transaction().execute((tx) => jobs.enqueue(tx, type, order));
  await vi.waitFor(
    async () =>
      expect((await admin.call('GET', `/api/v3/jobs/${id}${query}`)).body.error?.code).toBe('backup.owner_passphrase'),
    { timeout: 30_000, interval: 100 },
  );
});
