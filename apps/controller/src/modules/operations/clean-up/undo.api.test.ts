import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { fullResource, openDocument } from '../../configuration/documents/index.ts';
import { findDocument } from '../../configuration/documents/store.ts';
import { BASE, digestTables } from '../backup/testing/restore.ts';
import { rotateDataKey } from '../keys/testing/secrets.ts';
import { forgetCleaned } from './trash-store.ts';

const KEY = 'PRIVATE-KEY-OF-A-DOCUMENT-90e4';
const DEFAULT = { labels: { is_default: 'true' } };
const cluster = { resource: { type: 'STATIC' } };
const routes = (target: string) => ({
  resource: {
    virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: target } }] }],
  },
});

let t: TestFleet;
let project: string;
let admin: TestCaller;

beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t?.close());
beforeEach(async () => {
  project = await t.createProject(`old-${createId().slice(-8)}`);
  admin = await t.createMember('admin', project);
});

const url = (more = '') => `${BASE}/cleanup/versions/${TEST_VERSION}?project=${project}${more}`;
const preview = (more = '') => admin.call('GET', url(more));
const cleanUp = (digest: string, more = '') => admin.call('DELETE', url(`&digest=${digest}${more}`));

async function create(collection: string, name: string, more: object = {}): Promise<void> {
  const body = { name, version: TEST_VERSION, resource: {}, ...more };
  const answer = await t.owner.call('POST', `/api/v3/xds/${collection}?project=${project}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
}

async function namesOf(collection: string): Promise<string[]> {
  const { body } = await t.owner.call('GET', `/api/v3/xds/${collection}?project=${project}`);
  return body.items.map(({ name }: { name: string }) => name);
}

describe('undoing a clean-up', () => {
  const secret = {
    tls_certificate: { certificate_chain: { inline_string: 'c' }, private_key: { inline_string: KEY } },
  };
  const cleanUps = () => admin.call('GET', `${BASE}/cleanup?project=${project}`);
  const undo = (id: string, caller = admin, of = project) =>
    caller.call('POST', `${BASE}/cleanup/${id}/undo?project=${of}`);
  const purge = (id: string, caller = admin, of = project) =>
    caller.call('DELETE', `${BASE}/cleanup/${id}?project=${of}`);
  const cleanAll = async () => (await cleanUp((await preview()).body.digest)).body;
  /** All documents of the project as stored in the database. */
  const stored = async () => {
    const { rows } = await sql<{ row: string }>`
      select d::text || r::text || coalesce(names, '') || coalesce(refs, '') as row from documents d
      join document_revisions r on r.document_id = d.id
      left join lateral (select string_agg(n::text, ',' order by n::text) names from document_names n
        where n.document_id = d.id) n on true
      left join lateral (select string_agg(f::text, ',' order by f::text) refs from document_references f
        where f.from_id = d.id) f on true
      where d.project_id = ${project} order by 1`.execute(t.database.owner);
    return rows;
  };

  it('restores everything exactly: ids, revisions, secrets, names and references', async () => {
    await create('clusters', 'one', { ...cluster, description: 'öä', labels: { of: 'x' } });
    await t.owner.call('PATCH', `/api/v3/xds/clusters/one?project=${project}&version=${TEST_VERSION}`, {
      resource: { connect_timeout: '7s' },
    });
    await create('routes', 'main', routes('one'));
    await create('secrets', 'www', { resource: secret });
    const before = await stored();
    expect(before).toHaveLength(4);
    const done = await cleanAll();
    expect(await stored()).toEqual([]);
    const { items } = (await cleanUps()).body;
    expect(items).toEqual([
      expect.objectContaining({ id: done.clean_up, total: 3, cleaned_by: admin.username, version: TEST_VERSION }),
    ]);
    expect(Date.parse(items[0].kept_until) - Date.parse(items[0].cleaned_at)).toBe(30 * 86_400_000);
    expect(JSON.stringify(items)).not.toContain(KEY);
    const back = await undo(done.clean_up);
    expect([back.status, back.body]).toEqual([
      200,
      { version: TEST_VERSION, counts: { clusters: 1, routes: 1, secrets: 1 }, total: 3 },
    ]);
    expect(await stored()).toEqual(before);
    expect((await cleanUps()).body.items).toEqual([]);
    expect((await undo(done.clean_up)).status).toBe(404);
    // A restored reference protects its target again.
    const held = await t.owner.call('DELETE', `/api/v3/xds/clusters/one?project=${project}&version=${TEST_VERSION}`);
    expect([held.status, held.body.code]).toEqual([409, 'record.in_use']);
  });

  it('restores all or nothing: it fails if a name is taken or a used document is missing', async () => {
    await create('clusters', 'base', { ...cluster, ...DEFAULT });
    await create('clusters', 'one', cluster);
    await create('routes', 'main', routes('base'));
    const { digest } = (await preview('&mode=non-default-only')).body;
    const { clean_up: id } = (await cleanUp(digest, '&mode=non-default-only')).body;
    await create('clusters', 'one', cluster);
    const taken = await undo(id);
    expect([taken.status, taken.body.code]).toEqual([409, 'clean_up.name_taken']);
    expect(await namesOf('routes')).toEqual([]);
    for (const name of ['one', 'base'])
      await t.owner.call('DELETE', `/api/v3/xds/clusters/${name}?project=${project}&version=${TEST_VERSION}`);
    const before = await digestTables(t.database.owner);
    const dangling = await undo(id);
    expect([dangling.status, dangling.body.code]).toEqual([409, 'clean_up.not_possible']);
    expect(dangling.body.message).toContain('refers to clusters/base, which does not exist');
    expect(await digestTables(t.database.owner)).toEqual(before);
    await create('clusters', 'base', cluster);
    expect((await undo(id)).status).toBe(200);
    expect(await namesOf('clusters')).toEqual(['base', 'one']);
  });

  it('works even if the keys of its secrets have been deleted', async () => {
    await create('secrets', 'www', { resource: secret });
    const { clean_up: id } = await cleanAll();
    const dataKey = await rotateDataKey(t.owner);
    const { keyring } = t.controller;
    const { rows } = await sql<{ key: number }>`
      select distinct sealing_key(sealed) as key from cleaned_documents
      where project_id = ${project} and sealed is not null`.execute(t.database.owner);
    expect(rows).toEqual([{ key: dataKey }]);
    expect((await undo(id)).status).toBe(200);
    const key = { collection: 'secrets', name: 'www' } as const;
    const row = await findDocument(t.database.db, { project, version: TEST_VERSION }, key);
    expect(row && JSON.stringify(fullResource(openDocument(keyring, row)))).toContain(KEY);
  });

  it('works after an update that adds or removes columns, and keeps the remaining values', async () => {
    const { owner } = t.database;
    const readMarks = async () => {
      const { rows } = await sql<{ marks: string[] }>`
        select array[d.later, r.later] as marks from documents d join document_revisions r on r.document_id = d.id
        where d.project_id = ${project}`.execute(owner);
      return rows.map(({ marks }) => marks);
    };
    const tables = ['documents', 'document_revisions'].map((name) => sql.table(name));
    const alter = async (change: string) => {
      for (const table of tables) await sql`alter table ${table} ${sql.raw(change)}`.execute(owner);
    };
    await create('secrets', 'www', { resource: secret });
    const old = await cleanAll();
    await alter(`add column later text not null default 'new'`);
    try {
      expect((await undo(old.clean_up)).status).toBe(200);
      expect(await readMarks()).toEqual([['new', 'new']]);
      for (const table of tables) await sql`update ${table} set later = 'mine'`.execute(owner);
      const held = await cleanAll();
      expect((await undo(held.clean_up)).status).toBe(200);
      expect(await readMarks()).toEqual([['mine', 'mine']]);
      // Kept with a column that the tables do not have any more.
      await cleanAll();
    } finally {
      await alter('drop column later');
    }
    const [wider] = (await cleanUps()).body.items;
    expect((await undo(wider.id)).status).toBe(200);
    expect(await namesOf('secrets')).toEqual(['www']);
  });

  it('works once, even for two concurrent requests', async () => {
    await create('clusters', 'one', cluster);
    const { clean_up: id } = await cleanAll();
    const answers = await Promise.all([undo(id), undo(id), undo(id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
    expect(await namesOf('clusters')).toEqual(['one']);
  });

  it('is possible in its own project only: nobody else sees, restores or deletes it', async () => {
    await create('clusters', 'one', cluster);
    const { clean_up: id } = await cleanAll();
    const far = await t.createProject(`far-${createId().slice(-8)}`);
    const stranger = await t.createMember('owner', far);
    const editor = await t.createMember('editor', project);
    for (const ask of [undo, purge]) {
      expect((await ask(id, stranger)).status).toBe(403);
      expect((await ask(id, editor)).status).toBe(403);
      expect((await ask(id, stranger, far)).status).toBe(404);
      expect((await ask(id, t.owner, far)).status).toBe(404);
    }
    expect((await stranger.call('GET', `${BASE}/cleanup?project=${far}`)).body.items).toEqual([]);
    expect((await undo(id)).status).toBe(200);
  });

  it('is impossible after its time, or after an admin deleted it, with its secrets', async () => {
    const left = async () =>
      (
        await sql<{ count: number }>`select
          (select count(*)::int from cleaned_documents where project_id = ${project})
          + (select count(*)::int from cleaned_revisions where project_id = ${project}) as count`.execute(
          t.database.owner,
        )
      ).rows[0]?.count;
    await create('secrets', 'www', { resource: secret });
    const first = await cleanAll();
    expect(await left()).toBe(2);
    expect((await purge(first.clean_up)).status).toBe(204);
    expect(await left()).toBe(0);
    await create('secrets', 'www', { resource: secret });
    const second = await cleanAll();
    await t.database.owner
      .updateTable('cleaned_versions')
      .set({ kept_until: new Date(Date.now() - 1) })
      .where('id', '=', second.clean_up)
      .execute();
    // Expired clean-ups are hidden even before they are deleted.
    expect((await cleanUps()).body.items).toEqual([]);
    expect((await undo(second.clean_up)).status).toBe(404);
    expect(await left()).toBe(2);
    await forgetCleaned(t.database.db, new Date());
    expect(await left()).toBe(0);
  });
});
