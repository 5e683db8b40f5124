import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { uploadFile } from '../../../testing/upload.ts';
import { createMmdb } from './testing/mmdb.ts';

const BASE = '/api/v3/setting/geoip';

let t: TestController;
let admin: TestCaller;
beforeAll(async () => {
  t = await createTestController();
  admin = await t.createMember('admin');
});
afterAll(() => t.close());

const upload = (caller: TestCaller, kind: string, file: Buffer, suffix = '') =>
  uploadFile(t, caller, { url: `${BASE}/upload?kind=${kind}${suffix}`, file });
const countParts = async () => (await t.database.db.selectFrom('geoip_chunks').select('upload_id').execute()).length;

it('an owner uploads a database in parts, replaces and deletes it', async () => {
  expect((await t.owner.call('GET', BASE)).body.databases).toEqual([
    { kind: 'city', present: false },
    { kind: 'asn', present: false },
  ]);
  const large = createMmdb('GeoLite2-City', { nodes: 500_000 });
  const made = await upload(t.owner, 'city', large);
  expect(made).toMatchObject({
    status: 200,
    body: { kind: 'city', present: true, size: large.length, database_type: 'GeoLite2-City', source: 'upload' },
  });
  expect(await countParts()).toBe(3);
  const kept = await t.database.db.selectFrom('geoip_chunks').select('data').orderBy('part').execute();
  expect(Buffer.concat(kept.map(({ data }) => data)).equals(large)).toBe(true);
  expect((await admin.call('GET', `${BASE}?project=${t.project}`)).body.databases[0]).toEqual(made.body);
  const smaller = await upload(t.owner, 'city', createMmdb('DBIP-City-Lite'));
  expect(smaller.body.sha256).not.toBe(made.body.sha256);
  expect(await countParts()).toBe(1);
  expect((await t.owner.call('DELETE', `${BASE}/city`)).status).toBe(204);
  expect(await countParts()).toBe(0);
  expect((await t.owner.call('DELETE', `${BASE}/city`)).status).toBe(404);
  const actions = await t.database.db
    .selectFrom('audit_log')
    .select('action')
    .where('action', 'like', 'geoip.%')
    .where('outcome', '=', 'done')
    .orderBy('id')
    .execute();
  expect(actions.map(({ action }) => action)).toEqual(['geoip.upload', 'geoip.upload', 'geoip.delete']);
});

it('an invalid database is refused and leaves nothing', async () => {
  const attempts: readonly (readonly [string, Buffer])[] = [
    ['nothing', Buffer.alloc(0)],
    ['another format', Buffer.from('<html>'.repeat(1000))],
    ['another kind', createMmdb('GeoLite2-ASN')],
    ['a tree that is longer than the file', createMmdb('GeoLite2-City', { metadata: { node_count: 1_000_000 } })],
    ['a tree that ends elsewhere', createMmdb('GeoLite2-City', { separator: Buffer.alloc(16, 7) })],
  ];
  for (const [what, file] of attempts) {
    expect(await upload(t.owner, 'city', file), what).toMatchObject({ status: 400, body: { code: 'geoip.invalid' } });
  }
  expect(await countParts()).toBe(0);
  expect((await upload(t.owner, 'city', createMmdb('GeoLite2-City'), '&dry_run=true')).status).toBe(200);
  expect(await countParts()).toBe(0);
  expect((await upload(t.owner, 'country', createMmdb('GeoLite2-City'))).status).toBe(400);
});

it('without a project, databases belong to the installation: only its owners read and write them', async () => {
  expect((await upload(admin, 'city', createMmdb('GeoLite2-City'))).body.code).toBe('project.missing');
  expect((await admin.call('DELETE', `${BASE}/city`)).body.code).toBe('project.missing');
  expect((await admin.call('GET', BASE)).body.code).toBe('project.missing');
});
