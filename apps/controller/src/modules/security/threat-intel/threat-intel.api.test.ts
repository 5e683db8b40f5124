import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { uploadFile } from '../../../testing/upload.ts';

const BASE = '/api/v3/setting/threat-intel';

let t: TestController;
let admin: TestCaller;
beforeAll(async () => {
  t = await createTestController();
  admin = await t.createMember('admin');
});
afterAll(() => t.close());

const upload = (caller: TestCaller, name: string, file: string, headers: Record<string, string> = {}) =>
  uploadFile(t, caller, { url: `${BASE}/upload?name=${name}`, file, headers });

it('a feed is uploaded, read page by page, disabled without losing its entries, and deleted', async () => {
  const made = await upload(t.owner, 'scanners', '# today\n203.0.113.9\n198.51.100.0/24\n2001:db8::/32\nnonsense\n');
  expect(made).toMatchObject({
    status: 200,
    body: { added: 3, skipped: 1, skipped_lines: [5], feed: { name: 'scanners', enabled: true, entry_count: 3 } },
  });
  const first = await admin.call('GET', `${BASE}/scanners?project=${t.project}&limit=2`);
  expect(first.body.entries).toEqual(['198.51.100.0/24', '203.0.113.9/32']);
  const cursor = encodeURIComponent(first.body.next_cursor);
  const second = await admin.call('GET', `${BASE}/scanners?project=${t.project}&limit=2&cursor=${cursor}`);
  expect(second.body).toMatchObject({ entries: ['2001:db8::/32'], next_cursor: null });
  const { rows } = await sql`select name from threat_entries join threat_feeds on threat_feeds.id = feed_id
    where network >>= inet '198.51.100.77'`.execute(t.database.db);
  expect(rows).toEqual([{ name: 'scanners' }]);

  const before = await t.owner.call('GET', BASE);
  const off = { feeds: [{ name: 'scanners', enabled: false }] };
  const put = await t.owner.call('PUT', BASE, off, { 'if-match': String(before.headers.etag) });
  expect(put.body).toMatchObject({ version: before.body.version + 1, feeds: [{ enabled: false, entry_count: 3 }] });
  const stale = await t.owner.call('PUT', BASE, { feeds: [] }, { 'if-match': String(before.headers.etag) });
  expect(stale.body.code).toBe('record.stale');
  const again = await upload(t.owner, 'scanners', '192.0.2.1\n');
  expect(again.body).toMatchObject({ added: 1, feed: { enabled: false, entry_count: 1 } });
  expect((await t.owner.call('GET', `${BASE}/scanners`)).body.entries).toEqual(['192.0.2.1/32']);

  expect((await t.owner.call('DELETE', `${BASE}/scanners`)).status).toBe(204);
  expect((await t.owner.call('GET', `${BASE}/scanners`)).status).toBe(404);
  expect(await t.database.db.selectFrom('threat_entries').select('feed_id').execute()).toEqual([]);
});

it('omitted feeds are deleted, and enabling an unknown one does not create it', async () => {
  await upload(t.owner, 'one', '192.0.2.1');
  await upload(t.owner, 'two', '192.0.2.2');
  const put = await t.owner.call('PUT', BASE, { feeds: [{ name: 'two', enabled: true }] });
  expect(put.body.feeds.map(({ name }: { name: string }) => name)).toEqual(['two']);
  const unknown = await t.owner.call('PUT', BASE, { feeds: [{ name: 'one', enabled: true }] });
  expect(unknown.status).toBe(404);
  expect((await t.owner.call('GET', BASE)).body.feeds).toHaveLength(1);
});

it('a file without an entry, or with another media type, changes nothing', async () => {
  const before = (await t.owner.call('GET', BASE)).body;
  expect((await upload(t.owner, 'two', '0.0.0.0/0\nexample.com\n')).body.code).toBe('threat_feed.empty');
  expect((await upload(t.owner, 'two', '{}', { 'content-type': 'application/json' })).status).toBeGreaterThanOrEqual(
    400,
  );
  expect((await upload(t.owner, 'upload', '192.0.2.1')).status).toBe(400);
  expect((await t.owner.call('GET', BASE)).body).toEqual(before);
});

it('two uploads at once leave one of them complete', async () => {
  const files = ['192.0.2.1\n192.0.2.2', '198.51.100.1\n198.51.100.2'];
  const answers = await Promise.all(files.map((file) => upload(t.owner, 'raced', file)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const { entries, entry_count } = (await t.owner.call('GET', `${BASE}/raced`)).body;
  expect([entries.length, entry_count]).toEqual([2, 2]);
  expect(new Set(entries.map((entry: string) => entry.slice(0, 3))).size).toBe(1);
});

it('without a project, feeds belong to the installation: only its owners read and write them', async () => {
  expect((await upload(admin, 'mine', '192.0.2.1')).body.code).toBe('project.missing');
  expect((await admin.call('PUT', BASE, { feeds: [] })).body.code).toBe('project.missing');
  expect((await admin.call('DELETE', `${BASE}/two`)).body.code).toBe('project.missing');
  expect((await admin.call('GET', BASE)).body.code).toBe('project.missing');
});
