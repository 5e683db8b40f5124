import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';

let t: TestController;
let admin: TestCaller;
let viewer: TestCaller;
beforeAll(async () => {
  t = await createTestController();
  admin = await t.createMember('admin');
  viewer = await t.createMember('viewer');
});
afterAll(() => t?.close());

const url = (suffix = '', project = t.project) => `/api/v3/setting/maintenance-windows${suffix}?project=${project}`;
const NIGHT = { name: 'night', starts_at: '2030-01-01T22:00:00.000Z', ends_at: '2030-01-02T04:00:00.000Z' };

describe('a maintenance window', () => {
  it('can be created, listed, changed and deleted by an admin, and each change is in the audit log', async () => {
    const made = await admin.call('POST', url(), NIGHT);
    expect([made.status, made.body]).toMatchObject([201, { ...NIGHT, project: t.project, revision: 1 }]);
    const path = `/${made.body.id}`;
    const changed = await admin.call('PATCH', url(path), { name: 'long-night' }, { 'if-match': '"1"' });
    expect([changed.status, changed.body]).toMatchObject([200, { name: 'long-night', revision: 2 }]);
    expect((await viewer.call('GET', url())).body.items).toEqual([changed.body]);
    expect((await admin.call('DELETE', url(path), undefined, { 'if-match': '"1"' })).body.code).toBe('record.stale');
    expect((await admin.call('DELETE', url(path))).status).toBe(204);
    expect((await viewer.call('GET', url())).body.items).toEqual([]);
    const log = await t.database.db
      .selectFrom('audit_log')
      .select('action')
      .where('resource_id', '=', made.body.id)
      .orderBy('at')
      .execute();
    expect(log.map(({ action }) => action)).toEqual(
      ['create', 'update', 'delete'].map((verb) => `maintenance_window.${verb}`),
    );
  });

  it('cannot be changed by a viewer', async () => {
    expect((await viewer.call('POST', url(), NIGHT)).body.code).toBe('role.forbidden');
  });

  it('needs an end after its start and a name of its own', async () => {
    const empty = await admin.call('POST', url(), { ...NIGHT, ends_at: NIGHT.starts_at });
    expect([empty.status, empty.body.code]).toEqual([422, 'maintenance_window.empty']);
    expect((await admin.call('POST', url(), NIGHT)).status).toBe(201);
    expect((await admin.call('POST', url(), { ...NIGHT, name: 'NIGHT' })).body.code).toBe('record.exists');
  });

  it('of another project is not found', async () => {
    const other = await t.createProject('other');
    const made = await t.owner.call('POST', url('', other), NIGHT);
    expect((await admin.call('GET', url(`/${made.body.id}`))).body.code).toBe('record.not_found');
  });
});
