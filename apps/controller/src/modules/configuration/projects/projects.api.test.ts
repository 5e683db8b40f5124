import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilRulesExist } from '../../../testing/alert-rules.ts';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { isKept } from './deletion-store.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

const LIST = '/api/v3/setting/projects';
const one = (id: string) => `/api/v3/setting/project/${id}`;

async function create(name: string) {
  const answer = await t.owner.call('POST', LIST, { name, starters: [] });
  expect(answer.status).toBe(201);
  return answer.body;
}

async function insertClient(project: string, name: string): Promise<string> {
  const id = createId();
  const now = new Date();
  await t.database.db
    .insertInto('clients')
    .values({
      id,
      project_id: project,
      created_at: now,
      updated_at: now,
      name,
      hostname: name,
      os: 'linux',
      arch: 'x64',
      kernel: '6',
      agent_version: '1',
      metadata: '{}',
      cores: 1,
      memory_bytes: 1,
      runtime_dir: '/run',
      data_dir: '/var',
    })
    .execute();
  return id;
}

/** All tables with rows of the project in a column of that name. */
async function tablesWith(project: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct table_name as name from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where column_name = 'project_id' and table_type = 'BASE TABLE' order by 1`.execute(t.database.db);
  const held: string[] = [];
  for (const { name } of rows) {
    const found = await sql`select 1 from ${sql.table(name)} where project_id = ${project} limit 1`.execute(
      t.database.db,
    );
    if (found.rows.length > 0) held.push(name);
  }
  return held;
}

describe('projects', () => {
  it('can only be managed by owners of the installation', async () => {
    const chief = await t.createMember('owner');
    for (const url of [LIST, one(t.project)]) {
      expect((await chief.call('GET', url)).body.code).toBe('owner.required');
    }
    expect((await chief.call('DELETE', one(t.project))).body.code).toBe('owner.required');
  });

  it('can be created, read, changed and listed', async () => {
    const project = await create('Shop');
    expect((await t.owner.call('POST', LIST, { name: 'shop' })).body.code).toBe('record.exists');
    const read = await t.owner.call('GET', one(project.id));
    expect(read.headers.etag).toBe('"1"');
    const changed = await t.owner.call('PATCH', one(project.id), { description: 'Web shop' }, { 'if-match': '"1"' });
    expect(changed.body).toMatchObject({ name: 'Shop', description: 'Web shop', revision: 2 });
    const stale = await t.owner.call('PUT', one(project.id), { name: 'x', description: null }, { 'if-match': '"1"' });
    expect(stale.body.code).toBe('record.stale');
    const listed = await t.owner.call('GET', `${LIST}?q=shop`);
    expect(listed.body.items).toMatchObject([{ id: project.id, member_count: 0 }]);
    const dry = await t.owner.call('POST', `${LIST}?dry_run=true`, { name: 'never' });
    expect(dry).toMatchObject({ status: 200, body: { name: 'never', dry_run: true } });
    expect((await t.owner.call('GET', `${LIST}?q=never`)).body.items).toEqual([]);
  });

  it('show what a deletion includes, and leave nothing in any table', async () => {
    const project = await create('full');
    const { db } = t.database;
    const admin = await t.createMember('admin', project.id);
    const client = await insertClient(project.id, 'edge');
    await db
      .insertInto('client_certificates')
      .values({
        serial: createId().replaceAll('-', ''),
        client_id: client,
        project_id: project.id,
        key_digest: Buffer.alloc(32),
        issued_at: new Date(),
        expires_at: new Date(Date.now() + 60_000),
        revoke_reason: null,
      })
      .execute();
    const group = await admin.call('POST', `/api/v3/setting/groups?project=${project.id}`, { name: 'ops' });
    await admin.call('PUT', `/api/v3/setting/groups/${group.body.id}/members/${admin.userId}?project=${project.id}`);
    await admin.call('POST', `/api/v3/setting/tokens?project=${project.id}`, { name: 'ci', role: 'viewer' });
    await admin.call('POST', `/api/v3/setting/enrolment-tokens?project=${project.id}`, {});

    await untilRulesExist(db, project.id);
    const refused = await t.owner.call('DELETE', one(project.id));
    expect(refused.body).toMatchObject({ code: 'project.not_empty' });
    const plan = (await t.owner.call('GET', `${one(project.id)}/deletion`)).body;
    expect(plan).toMatchObject({ empty: false, running: [] });
    expect(plan.contents).toContainEqual({ kind: 'clients', count: 1, examples: ['edge'] });
    expect(plan.contents).toContainEqual({ kind: 'groups', count: 2, examples: ['default', 'ops'] });
    expect(plan.contents).toContainEqual({ kind: 'memberships', count: 1, examples: [] });
    expect(refused.body.contents).toEqual(plan.contents);

    await insertClient(project.id, 'late');
    const stale = await t.owner.call('DELETE', `${one(project.id)}?plan=${plan.digest}`);
    expect([stale.status, stale.body.code]).toEqual([409, 'project.plan_changed']);
    const { digest } = (await t.owner.call('GET', `${one(project.id)}/deletion`)).body;
    const dry = await t.owner.call('DELETE', `${one(project.id)}?plan=${digest}&dry_run=true`);
    expect(dry.status).toBeLessThan(300);
    expect((await t.owner.call('GET', one(project.id))).status).toBe(200);

    expect((await t.owner.call('DELETE', `${one(project.id)}?plan=${digest}`)).status).toBe(204);
    expect((await t.owner.call('GET', one(project.id))).status).toBe(404);
    expect((await tablesWith(project.id)).filter((table) => !isKept(table))).toEqual([]);
    expect(await tablesWith(project.id)).toContain('audit_log');
    const certificate = await db
      .selectFrom('client_certificates')
      .select('revoked_at')
      .where('client_id', '=', client)
      .executeTakeFirstOrThrow();
    expect(certificate.revoked_at).not.toBeNull();
  });

  it('cannot be deleted while a client runs one of their services', async () => {
    const project = await create('busy');
    const client = await insertClient(project.id, 'edge');
    const { db } = t.database;
    const service = createId();
    const now = new Date();
    await db
      .insertInto('services')
      .values({
        id: service,
        project_id: project.id,
        name: 'shop',
        version: '1.36.4',
        bootstrap: 'main',
        listeners: [],
        policies: [],
        shield_threads: 1,
        shield_xff_trusted_hops: 0,
        created_at: now,
        updated_at: now,
        updated_by: 'test',
      })
      .execute();
    const target = { service_id: service, client_id: client, position: 0, addresses: [], generation: 1 };
    await db
      .insertInto('service_targets')
      .values({ ...target, deployed: true })
      .execute();
    await untilRulesExist(db, project.id);
    const plan = (await t.owner.call('GET', `${one(project.id)}/deletion`)).body;
    expect(plan.running).toEqual([{ service: 'shop', client: 'edge' }]);
    const refused = await t.owner.call('DELETE', `${one(project.id)}?plan=${plan.digest}`);
    expect(refused.body).toMatchObject({ code: 'project.running', running: plan.running });
    await db.updateTable('service_targets').set({ deployed: false }).where('service_id', '=', service).execute();
    expect((await t.owner.call('DELETE', `${one(project.id)}?plan=${plan.digest}`)).status).toBe(204);
  });

  it('with equal names of content are counted and deleted separately', async () => {
    const [first, second] = [await create('twin-a'), await create('twin-b')];
    for (const { id } of [first, second]) await insertClient(id, 'edge');
    await untilRulesExist(t.database.db, first.id);
    const plan = (await t.owner.call('GET', `${one(first.id)}/deletion`)).body;
    expect(plan.contents).toContainEqual({ kind: 'clients', count: 1, examples: ['edge'] });
    const crossed = await t.owner.call('DELETE', `${one(second.id)}?plan=${plan.digest}`);
    expect(crossed.body.code).toBe('project.plan_changed');
    expect((await t.owner.call('DELETE', `${one(first.id)}?plan=${plan.digest}`)).status).toBe(204);
    expect(await tablesWith(second.id)).toContain('clients');
  });

  it('are deleted with their API tokens and memberships', async () => {
    const project = await create('brief');
    const member = await t.createMember('admin', project.id);
    const made = await member.call('POST', `/api/v3/setting/tokens?project=${project.id}`, {
      name: 'ci',
      role: 'viewer',
    });
    expect(made.status).toBe(201);
    await t.owner.call('DELETE', one(project.id));
    const profile = await t.app.inject({
      url: '/api/v3/profile',
      headers: { authorization: `Bearer ${made.body.token}` },
    });
    expect(profile.statusCode).toBe(401);
    expect((await member.call('GET', '/api/v3/profile')).body.memberships).toEqual([]);
  });
});

interface Hold {
  readonly child: string;
  readonly parent: string;
  readonly cascades: boolean;
}

/** Columns that look like references into a project but that no foreign key covers. */
const LOOSE: Readonly<Record<string, string>> = {
  provider_grants: 'its client_id is what Flotilla is called at the OpenID provider, not a proxy of a project',
};

describe('every table with rows of a project', () => {
  const listTables = async (): Promise<{ name: string; columns: string[] }[]> => {
    const { rows } = await sql<{ name: string; columns: string[] }>`
      select relname as name, array_agg(attname::text) as columns from pg_class
      join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      group by relname order by relname`.execute(t.database.owner);
    return rows;
  };
  const listHolds = async (): Promise<Hold[]> => {
    const { rows } = await sql<Hold>`
      select child.relname as child, parent.relname as parent, confdeltype = 'c' as cascades from pg_constraint
      join pg_class child on child.oid = conrelid and not child.relispartition
      join pg_class parent on parent.oid = confrelid and not parent.relispartition
      -- Rows that stay and only forget the project hold nothing.
      where contype = 'f' and confdeltype <> 'n' and connamespace = current_schema()::regnamespace`.execute(
      t.database.owner,
    );
    return rows;
  };

  it('is in the deletion plan, or depends on one that is, or is listed as kept', async () => {
    const [tables, holds] = [await listTables(), await listHolds()];
    const going = new Set([
      'projects',
      ...tables.filter(({ columns }) => columns.includes('project_id')).map(({ name }) => name),
    ]);
    for (const name of going) if (isKept(name)) going.delete(name);
    const wrong: string[] = [];
    for (let before = 0; before < going.size; ) {
      before = going.size;
      for (const { child, parent, cascades } of holds)
        if (going.has(parent) && cascades && !isKept(child)) going.add(child);
    }
    for (const { child, parent, cascades } of holds)
      if (going.has(parent) && !going.has(child) && !isKept(child)) wrong.push(`${child} -> ${parent} ${cascades}`);
    const ids = [...going].map((name) => `${name.replace(/ies$/, 'y').replace(/s$/, '')}_id`);
    for (const { name, columns } of tables)
      if (!going.has(name) && !isKept(name) && columns.some((column) => ids.includes(column)) && !(name in LOOSE))
        wrong.push(`${name} (${columns.filter((column) => ids.includes(column)).join(', ')})`);
    expect(wrong).toEqual([]);
    expect(Object.keys(LOOSE).filter((name) => !tables.some((table) => table.name === name))).toEqual([]);
  });

  it('is deleted in one transaction: if one row cannot be deleted, none is', async () => {
    const project = await create('stuck');
    const admin = await t.createMember('admin', project.id);
    await insertClient(project.id, 'edge');
    await admin.call('POST', `/api/v3/setting/groups?project=${project.id}`, { name: 'ops' });
    await admin.call('POST', `/api/v3/setting/tokens?project=${project.id}`, { name: 'ci', role: 'viewer' });
    await untilRulesExist(t.database.db, project.id);
    const before = await tablesWith(project.id);
    await sql`create function refuse_it() returns trigger language plpgsql as $$ begin raise exception 'stuck'; end $$`.execute(
      t.database.owner,
    );
    await sql`create trigger stuck before delete on groups for each row execute function refuse_it()`.execute(
      t.database.owner,
    );
    const { digest } = (await t.owner.call('GET', `${one(project.id)}/deletion`)).body;
    expect((await t.owner.call('DELETE', `${one(project.id)}?plan=${digest}`)).status).toBe(500);
    expect(await tablesWith(project.id)).toEqual(expect.arrayContaining(before));
    await sql`drop trigger stuck on groups`.execute(t.database.owner);
    expect((await t.owner.call('DELETE', `${one(project.id)}?plan=${digest}`)).status).toBe(204);
  });
});
