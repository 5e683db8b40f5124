import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { explain, recordQueries } from '../../../testing/queries.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t.close());

async function search(q: string, { by = t.owner, project = t.project, query = '' }: SearchOptions = {}) {
  const url = `/api/v3/search?project=${project}&q=${encodeURIComponent(q)}${query}`;
  const { status, body } = await by.call('GET', url);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.items as { kind: string; name: string; rank: number; detail?: string; collection?: string }[];
}
interface SearchOptions {
  readonly by?: TestCaller;
  readonly project?: string;
  readonly query?: string;
}
const namesOf = (items: { name: string }[]) => items.map(({ name }) => name);

/** Inserts a document with any name, even one that the API would refuse. */
async function addDocument(name: string, project = t.project, updatedAt = new Date()): Promise<string> {
  const id = createId();
  await t.database.db
    .insertInto('documents')
    .values({
      id,
      project_id: project,
      version: TEST_VERSION,
      collection: 'clusters',
      name,
      type: 'envoy.config.cluster.v3.Cluster',
      description: null,
      labels: '{}',
      resource: '{}',
      sealed: null,
      private: '[]',
      created_at: updatedAt,
      updated_at: updatedAt,
      updated_by: 'test',
    })
    .execute();
  return id;
}

describe('the search', () => {
  it('finds everything with a name, with details that distinguish it', async () => {
    await addDocument('orion-cluster');
    await t.createClient('orion-edge');
    await t.createService({ name: 'orion-proxy' });
    await t.createProject('orion-project');
    const user = await t.owner.call('POST', `/api/v3/setting/users?project=${t.project}`, {
      username: 'orion',
      email: 'orion@example.com',
      password: 'Correct-Horse-7-Battery',
      memberships: [{ project: t.project, role: 'viewer' }],
    });
    expect(user.status, JSON.stringify(user.body)).toBe(201);
    const items = await search('ORION');
    expect(items[0]).toMatchObject({ kind: 'user', name: 'orion', rank: 0, detail: 'orion@example.com' });
    const byKind = new Map(items.map((item) => [item.kind, item]));
    expect([...byKind.keys()].toSorted()).toEqual(['client', 'document', 'project', 'service', 'user']);
    expect(byKind.get('document')).toMatchObject({ collection: 'clusters', version: TEST_VERSION, rank: 1 });
    expect(byKind.get('client')).toMatchObject({ detail: 'edge-1.example.com' });
    expect(byKind.get('service')).toMatchObject({ version: TEST_VERSION });
    expect(namesOf(await search('orion', { query: '&kind=client&kind=project' })).toSorted()).toEqual([
      'orion-edge',
      'orion-project',
    ]);
  });

  it('ranks exact names before prefixes, these before parts, and these before similar names', async () => {
    for (const name of ['my-zebra', 'zebra-two', 'zebra', 'zebbra-stripes']) await addDocument(name);
    const items = await search('Zebra');
    expect(items.map(({ name, rank }) => [name, rank])).toEqual([
      ['zebra', 0],
      ['zebra-two', 1],
      ['my-zebra', 2],
      ['zebbra-stripes', 3],
    ]);
  });

  it('computes similarity only if too few names contain the text', async () => {
    for (const name of ['okapi-one', 'okapi-two', 'okapo']) await addDocument(name);
    const measured = async (limit: number) => {
      let names: string[] = [];
      const asked = await recordQueries(t.database.db, async () => {
        names = namesOf(await search('okapi', { query: `&limit=${limit}` }));
      });
      return { names, isMeasured: asked.some(({ sql }) => sql.includes('similarity(')) };
    };
    expect(await measured(2)).toEqual({ names: ['okapi-one', 'okapi-two'], isMeasured: false });
    expect(await measured(3)).toEqual({ names: ['okapi-one', 'okapi-two', 'okapo'], isMeasured: true });
  });

  it('treats every character literally', async () => {
    const names = [
      '100%_sure\\really',
      '100x-sure',
      '<script>alert(1)</script>',
      'שלום-עולם',
      'مرحبا-world',
      "o'brien",
    ];
    for (const name of names) await addDocument(name);
    expect(namesOf(await search('100%'))).toEqual(['100%_sure\\really']);
    expect(namesOf(await search('%_sure\\'))[0]).toBe('100%_sure\\really');
    expect(namesOf(await search('_'))).toEqual(['100%_sure\\really']);
    expect(namesOf(await search('\\'))).toEqual(['100%_sure\\really']);
    expect(namesOf(await search('<SCRIPT>'))[0]).toBe('<script>alert(1)</script>');
    expect(namesOf(await search('שלום'))[0]).toBe('שלום-עולם');
    expect(namesOf(await search('مرحبا'))[0]).toBe('مرحبا-world');
    expect(namesOf(await search("O'B"))).toEqual(["o'brien"]);
    expect(await search("'; drop table users; --")).toEqual([]);
  });

  it('without text returns the latest changes first', async () => {
    const future = (minutes: number) => new Date(Date.now() + minutes * 60_000);
    await addDocument('later', t.project, future(2));
    await addDocument('latest', t.project, future(3));
    expect(namesOf(await search('', { query: '&limit=2' }))).toEqual(['latest', 'later']);
    expect(namesOf(await search('  ', { query: '&limit=1' }))).toEqual(['latest']);
  });

  it('finds for editors and viewers what they may read, and nothing else', async () => {
    await addDocument('perseus');
    await t.createClient('perseus');
    await t.createService({ name: 'perseus' });
    await t.createProject('perseus');
    for (const role of ['viewer', 'editor'] as const) {
      const by = await t.createMember(role);
      const found = await search('perseus', { by });
      expect(found.map(({ kind }) => kind).toSorted()).toEqual(['client', 'document', 'service']);
      // Host facts are for owners and admins.
      expect(found.find(({ kind }) => kind === 'client')?.detail).toBeUndefined();
      expect(await search(role, { by })).toEqual([]);
      const kinds = (await search('', { by, query: '&limit=50' })).map(({ kind }) => kind);
      expect([...new Set(kinds)].toSorted()).toEqual(['client', 'document', 'project', 'service']);
    }
    const admin = await t.createMember('admin');
    const kinds = (await search('perseus', { by: admin })).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['client', 'document', 'service']);
  });

  it('finds nothing of another project', async () => {
    const other = await t.createProject('andromeda-project');
    await addDocument('andromeda', other);
    await t.createClient('andromeda', other);
    const member = await t.createMember('owner');
    expect(await search('andromeda', { by: member })).toEqual([]);
    const theirs = await search('andromeda', { by: await t.createMember('owner', other), project: other });
    expect(theirs.map(({ kind }) => kind).toSorted()).toEqual(['client', 'document', 'project']);
    const answer = await member.call('GET', `/api/v3/search?project=${other}&q=andromeda`);
    expect(answer.body.code).toBe('project.forbidden');
  });

  it('is limited, and uses an index in a large project', async () => {
    const project = await t.createProject('large');
    const row = { project_id: project, version: TEST_VERSION, collection: 'clusters', type: 'x', updated_by: 'test' };
    const now = new Date();
    // With long rows like real documents: PostgreSQL would scan a smaller table completely.
    const resource = JSON.stringify({ text: 'x'.repeat(1500) });
    for (let from = 0; from < 10_000; from += 1000) {
      const rows = Array.from({ length: 1000 }, (_, i) => ({
        ...row,
        id: createId(),
        name: `cluster-${createId()}-${from + i}`,
        description: null,
        labels: '{}',
        resource,
        sealed: null,
        private: '[]',
        created_at: now,
        updated_at: now,
      }));
      await t.database.db.insertInto('documents').values(rows).execute();
    }
    expect(await search('cluster', { project, query: '&limit=50' })).toHaveLength(50);
    expect(namesOf(await search('-4711', { project }))[0]).toMatch(/-4711/);
    const url = `/api/v3/search?project=${project}&q=a&limit=51`;
    expect((await t.owner.call('GET', url)).status).toBe(400);
    await sql`vacuum analyze documents`.execute(t.database.owner);
    const queries = await recordQueries(t.database.db, () => search('needle', { project, query: '&kind=document' }));
    const plans = await Promise.all(queries.map((query) => explain(t.database.db, query)));
    const plan = plans.filter((text) => text.includes('documents')).join();
    expect(plan).toContain('documents_like');
    expect(plan).not.toContain('Seq Scan on documents');
  });
});
