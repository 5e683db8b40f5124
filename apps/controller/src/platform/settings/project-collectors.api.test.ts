import { FEEDS_MAX, PROJECT_ENTRIES_MAX, PROJECT_FEEDS_MAX, PROJECT_GEOIP_FILE_BYTES, ROLES } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMmdb } from '../../modules/security/geoip/testing/mmdb.ts';
import { createTestController, type TestCaller, type TestController } from '../../testing/controller.ts';
import { uploadFile } from '../../testing/upload.ts';

const [FEEDS, GEOIP] = ['/api/v3/setting/threat-intel', '/api/v3/setting/geoip'];
const DISCOVERY = ['/api/v3/setting/api_discovery', '/api/v3/setting/documents/api_discovery'] as const;

let t: TestController;
let other: string;
let admin: TestCaller;
let stranger: TestCaller;
beforeAll(async () => {
  t = await createTestController();
  other = await t.createProject('other');
  admin = await t.createMember('admin');
  stranger = await t.createMember('admin', other);
});
beforeEach(async () => {
  for (const table of ['threat_feeds', 'geoip_databases', 'geoip_chunks', 'settings'] as const)
    await t.database.db.deleteFrom(table).execute();
});
afterAll(() => t.close());

const at = (url: string, project: string | undefined, more = '') =>
  `${url}${project === undefined ? '?' : `?project=${project}&`}${more}`;
const uploadFeed = (caller: TestCaller, project: string | undefined, name: string, file: string) =>
  uploadFile(t, caller, { url: at(`${FEEDS}/upload`, project, `name=${name}`), file });
const uploadCity = (caller: TestCaller, project: string | undefined, file = createMmdb('GeoLite2-City')) =>
  uploadFile(t, caller, { url: at(`${GEOIP}/upload`, project, 'kind=city'), file });
const feedsOf = async (caller: TestCaller, project?: string) => (await caller.call('GET', at(FEEDS, project))).body;
const cityOf = async (caller: TestCaller, project?: string) =>
  (await caller.call('GET', at(GEOIP, project))).body.databases[0];

/** Every write of the three settings, with its status for permitted callers. */
const writes = (caller: TestCaller, project: string | undefined) =>
  [
    ['upload a feed', () => uploadFeed(caller, project, 'bad', '192.0.2.1'), 200],
    ['switch feeds', () => caller.call('PUT', at(FEEDS, project), { feeds: [{ name: 'bad', enabled: false }] }), 200],
    ['delete a feed', () => caller.call('DELETE', at(`${FEEDS}/bad`, project)), 204],
    ['upload a database', () => uploadCity(caller, project), 200],
    ['delete a database', () => caller.call('DELETE', at(`${GEOIP}/city`, project)), 204],
    ...DISCOVERY.flatMap(
      (url) =>
        [
          [`replace ${url}`, () => caller.call('PUT', at(url, project), { policy: { raw_sample_rate: 0.5 } }), 200],
          [`reset ${url}`, () => caller.call('DELETE', at(url, project)), 204],
        ] as const,
    ),
    ['patch', () => caller.call('PATCH', at(DISCOVERY[1], project), { policy: { raw_sample_rate: 0.25 } }), 200],
  ] as const;

describe('API discovery, threat feeds and GeoIP of a project', () => {
  it.each(ROLES.filter((role) => role === 'admin' || role === 'owner'))(
    'are written by an %s of the project (contradiction: collector settings)',
    async (role) => {
      const caller = await t.createMember(role);
      for (const [what, write, status] of writes(caller, t.project)) {
        const answer = await write();
        expect(answer.status, `${what}: ${JSON.stringify(answer.body)}`).toBe(status);
      }
    },
  );

  it.each(ROLES.filter((role) => role !== 'admin' && role !== 'owner'))(
    'are neither read nor written by a %s of the project (contradiction: collector settings)',
    async (role) => {
      const caller = await t.createMember(role);
      for (const [what, write] of writes(caller, t.project))
        expect(await write(), what).toMatchObject({ status: 403, body: { code: 'role.forbidden' } });
      for (const url of [FEEDS, GEOIP, ...DISCOVERY])
        expect((await caller.call('GET', at(url, t.project))).body.code, url).toBe('role.forbidden');
    },
  );

  it('are inaccessible to an admin of another project (contradiction: collector settings)', async () => {
    await uploadFeed(admin, t.project, 'ours', '192.0.2.1');
    await uploadCity(admin, t.project);
    await admin.call('PUT', at(DISCOVERY[0], t.project), { policy: { raw_sample_rate: 0.5 } });
    for (const project of [t.project, t.project.toUpperCase()]) {
      for (const [what, write] of writes(stranger, project))
        expect(await write(), what).toMatchObject({ status: 403, body: { code: 'project.forbidden' } });
      for (const url of [FEEDS, `${FEEDS}/ours`, GEOIP, ...DISCOVERY])
        expect((await stranger.call('GET', at(url, project))).body.code, url).toBe('project.forbidden');
    }
    // Not through their own project either.
    expect(await feedsOf(stranger, other)).toMatchObject({ project: null, feeds: [] });
    expect((await stranger.call('GET', at(`${FEEDS}/ours`, other))).status).toBe(404);
    expect((await stranger.call('DELETE', at(`${FEEDS}/ours`, other))).status).toBe(404);
    expect((await stranger.call('DELETE', at(`${GEOIP}/city`, other))).status).toBe(404);
    expect(await cityOf(stranger, other)).toEqual({ kind: 'city', present: false });
    expect((await stranger.call('GET', at(DISCOVERY[0], other))).body).toMatchObject({ project: null, revision: 0 });
    // Not with a repeated query parameter either.
    expect((await stranger.call('DELETE', `${FEEDS}/ours?project=${other}&project=${t.project}`)).status).toBe(400);
    expect((await feedsOf(admin, t.project)).feeds).toHaveLength(1);
  });

  it('belong to the installation and its owners without a project (contradiction: collector settings)', async () => {
    for (const caller of [admin, await t.createMember('owner')]) {
      for (const [what, write] of writes(caller, undefined))
        expect((await write()).body.code, what).toBe('project.missing');
    }
    for (const [what, write, status] of writes(t.owner, undefined)) expect((await write()).status, what).toBe(status);
  });

  it('are inherited from the installation until the project has its own (contradiction: collector settings)', async () => {
    await uploadFeed(t.owner, undefined, 'shared', '192.0.2.1');
    await uploadCity(t.owner, undefined, createMmdb('DBIP-City-Lite'));
    await t.owner.call('PUT', DISCOVERY[0], { policy: { raw_sample_rate: 0.5 } });

    const inherited = await admin.call('GET', at(FEEDS, t.project));
    expect(inherited.body).toMatchObject({ project: null, feeds: [{ name: 'shared' }] });
    expect(inherited.headers.etag).toBeUndefined();
    expect((await admin.call('GET', at(`${FEEDS}/shared`, t.project))).body).toMatchObject({ project: null });
    // Inherited values can be read but not changed.
    const off = { feeds: [{ name: 'shared', enabled: false }] };
    expect((await admin.call('PUT', at(FEEDS, t.project), off)).status).toBe(404);
    expect((await admin.call('DELETE', at(`${FEEDS}/shared`, t.project))).status).toBe(404);
    expect((await admin.call('DELETE', at(`${GEOIP}/city`, t.project))).status).toBe(404);

    await uploadFeed(admin, t.project, 'own', '198.51.100.1');
    expect(await feedsOf(admin, t.project)).toMatchObject({ project: t.project, feeds: [{ name: 'own' }] });
    expect(await feedsOf(stranger, other)).toMatchObject({ project: null, feeds: [{ name: 'shared' }] });
    expect(await feedsOf(t.owner)).toMatchObject({ project: null, feeds: [{ name: 'shared', enabled: true }] });
    await admin.call('DELETE', at(`${FEEDS}/own`, t.project));
    expect(await feedsOf(admin, t.project)).toMatchObject({ project: null, feeds: [{ name: 'shared' }] });

    expect(await cityOf(admin, t.project)).toMatchObject({ project: null, database_type: 'DBIP-City-Lite' });
    await uploadCity(admin, t.project);
    expect(await cityOf(admin, t.project)).toMatchObject({ project: t.project, database_type: 'GeoLite2-City' });
    expect(await cityOf(stranger, other)).toMatchObject({ project: null, database_type: 'DBIP-City-Lite' });
    await admin.call('DELETE', at(`${GEOIP}/city`, t.project));
    expect(await cityOf(admin, t.project)).toMatchObject({ project: null });
  });

  it('can be inherited, replaced, patched and reset (contradiction: collector settings)', async () => {
    const url = at(DISCOVERY[1], t.project);
    await t.owner.call('PUT', DISCOVERY[1], { policy: { raw_sample_rate: 0.5 }, detection: { missing_hsts: false } });
    const read = await admin.call('GET', url);
    expect(read.body).toMatchObject({ project: null, revision: 0, value: { policy: { raw_sample_rate: 0.5 } } });
    // Written back unchanged, the value becomes the project's own and no longer follows the installation's.
    const kept = await admin.call('PUT', url, read.body, { 'if-match': '"0"' });
    expect(kept, JSON.stringify(kept.body)).toMatchObject({
      status: 200,
      body: { project: t.project, revision: 1, value: { policy: { raw_sample_rate: 0.5 } } },
    });
    await t.owner.call('PATCH', DISCOVERY[1], { policy: { raw_sample_rate: 0.75 } });
    expect((await admin.call('GET', url)).body.value.policy.raw_sample_rate).toBe(0.5);
    expect((await admin.call('DELETE', url)).status).toBe(204);
    expect((await admin.call('GET', url)).body).toMatchObject({
      project: null,
      value: { policy: { raw_sample_rate: 0.75 } },
    });
    // A patch changes the inherited value.
    const patched = await admin.call('PATCH', url, { policy: { hash_source_ip: false } });
    expect(patched.body).toMatchObject({
      project: t.project,
      value: { policy: { raw_sample_rate: 0.75, hash_source_ip: false }, detection: { missing_hsts: false } },
    });
    expect((await admin.call('PUT', url, {}, { 'if-match': '"0"' })).status).toBe(412);
    expect((await stranger.call('GET', at(DISCOVERY[1], other))).body.value.policy.hash_source_ip).toBe(true);
    const kinds = await admin.call('GET', at('/api/v3/setting/documents', t.project));
    const kind = kinds.body.items.find(({ key }: { key: string }) => key === 'api_discovery');
    expect(kind).toMatchObject({ scope: 'installation', per_project: true, may_write: true });
  });

  it('may have the same names in two projects (contradiction: collector settings)', async () => {
    await uploadFeed(admin, t.project, 'bad', '192.0.2.1');
    await uploadFeed(stranger, other, 'bad', '198.51.100.1');
    await uploadFeed(t.owner, undefined, 'bad', '203.0.113.1');
    await uploadCity(admin, t.project);
    await uploadCity(stranger, other);
    const entriesIn = async (caller: TestCaller, project?: string) =>
      (await caller.call('GET', at(`${FEEDS}/bad`, project))).body.entries;
    expect(await entriesIn(admin, t.project)).toEqual(['192.0.2.1/32']);
    expect(await entriesIn(stranger, other)).toEqual(['198.51.100.1/32']);
    expect(await entriesIn(t.owner)).toEqual(['203.0.113.1/32']);
    await stranger.call('PUT', at(FEEDS, other), { feeds: [] });
    await stranger.call('DELETE', at(`${GEOIP}/city`, other));
    expect(await entriesIn(admin, t.project)).toEqual(['192.0.2.1/32']);
    expect(await cityOf(admin, t.project)).toMatchObject({ present: true });
    // The version depends only on the project's own data.
    const { version } = await feedsOf(admin, t.project);
    await uploadFeed(t.owner, undefined, 'bad', '203.0.113.2');
    expect((await feedsOf(admin, t.project)).version).toBe(version);
  });

  it('are hidden from other projects by the database (contradiction: collector settings)', async () => {
    await uploadFeed(admin, t.project, 'bad', '192.0.2.1');
    await uploadFeed(t.owner, undefined, 'shared', '203.0.113.1');
    await uploadCity(admin, t.project);
    const tables = ['threat_intel', 'threat_feeds', 'threat_entries', 'geoip_databases', 'geoip_chunks'];
    const countIn = async (project: string) => {
      const db = t.database.scoped({ kind: 'project', projectId: project });
      const counts = tables.map(async (name) => (await sql`select 1 from ${sql.table(name)}`.execute(db)).rows.length);
      return Promise.all(counts);
    };
    expect(await countIn(t.project)).toEqual([1, 1, 1, 1, 1]);
    expect((await countIn(await t.createProject(createId()))).every((count) => count === 0)).toBe(true);
  });

  it('are recorded in the project with each change (contradiction: collector settings)', async () => {
    const project = await t.createProject('recorded');
    const caller = await t.createMember('admin', project);
    for (const [, write] of writes(caller, project)) await write();
    const { rows } = await sql<{ action: string }>`select action from audit_log
      where project_id = ${project} and outcome = 'done' order by id`.execute(t.database.db);
    expect(rows.map(({ action }) => action)).toEqual([
      'threat_feed.upload',
      'threat_intel.update',
      'threat_feed.delete',
      'geoip.upload',
      'geoip.delete',
      'setting.update',
      'setting.delete',
      'setting.update',
      'setting.delete',
      'setting.update',
    ]);
  });

  it('are deleted with the project (contradiction: collector settings)', async () => {
    const project = await t.createProject(`short ${createId()}`);
    const caller = await t.createMember('admin', project);
    await uploadFeed(caller, project, 'bad', '192.0.2.1');
    await uploadCity(caller, project);
    await uploadFeed(admin, t.project, 'bad', '192.0.2.1');
    await uploadCity(admin, t.project);
    const url = `/api/v3/setting/project/${project}`;
    const confirmDeletion = async () => {
      const { digest } = (await t.owner.call('GET', `${url}/deletion`)).body;
      const { status, body } = await t.owner.call('DELETE', `${url}?plan=${digest}`);
      return body?.code ?? status;
    };
    await expect.poll(confirmDeletion).toBe(204);
    for (const name of ['threat_feeds', 'threat_entries', 'geoip_databases', 'geoip_chunks'])
      expect((await sql`select 1 from ${sql.table(name)}`.execute(t.database.db)).rows, name).toHaveLength(1);
  });

  it('are limited per project (contradiction: collector settings)', async () => {
    for (let i = 0; i < PROJECT_FEEDS_MAX; i += 1)
      expect((await uploadFeed(admin, t.project, `feed${i}`, '192.0.2.1')).status).toBe(200);
    expect((await uploadFeed(admin, t.project, 'more', '192.0.2.1')).body.code).toBe('threat_feed.too_many_feeds');
    expect((await uploadFeed(admin, t.project, 'feed0', '192.0.2.2')).status).toBe(200);
    expect(FEEDS_MAX).toBeGreaterThan(PROJECT_FEEDS_MAX);

    await t.database.db
      .updateTable('threat_feeds')
      .set({ entry_count: PROJECT_ENTRIES_MAX - PROJECT_FEEDS_MAX + 1 })
      .where('name', '=', 'feed1')
      .execute();
    const tooMany = await uploadFeed(admin, t.project, 'feed0', '192.0.2.1\n192.0.2.2');
    expect(tooMany.body.code).toBe('threat_feed.too_many_entries');
    expect((await uploadFeed(admin, t.project, 'feed0', '192.0.2.1')).status).toBe(200);

    const large = createMmdb('GeoLite2-City', { nodes: PROJECT_GEOIP_FILE_BYTES / 6 });
    expect(large.length).toBeGreaterThan(PROJECT_GEOIP_FILE_BYTES);
    expect((await uploadCity(admin, t.project, large)).body.code).toBe('geoip.invalid');
    expect(await t.database.db.selectFrom('geoip_chunks').select('part').execute()).toEqual([]);
  });

  it('cannot be downloaded by an admin: only owners decide what the controller contacts (contradiction: collector settings)', async () => {
    const body = { kind: 'city', url: 'http://127.0.0.1:1/city.mmdb', sha256: '0'.repeat(64) };
    for (const project of [undefined, t.project]) {
      const refused = await admin.call('POST', at(`${GEOIP}/download`, project), body);
      expect(refused.body.code).toBe('owner.required');
    }
  });
});
