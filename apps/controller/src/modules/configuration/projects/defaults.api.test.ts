import { createId } from '@flotilla/kit';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { untilRulesExist } from '../../../testing/alert-rules.ts';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { TEST_FLEET_ENV } from '../../../testing/fleet.ts';
import { STARTER_DOCUMENTS } from './starter-documents.ts';

const LIST = '/api/v3/setting/projects';
const VERSIONS = Object.values(TEST_ENVOY_VERSIONS);
const WAIT = { interval: 20 };

let t: TestController;
beforeAll(async () => {
  t = await createTestController(TEST_FLEET_ENV);
});
afterAll(() => t.close());

const make = (body: { name: string; starters?: string[] }, query = '') => t.owner.call('POST', `${LIST}${query}`, body);

async function created(starters?: string[]): Promise<string> {
  const { status, body } = await make({ name: `p-${createId().slice(-8)}`, ...(starters && { starters }) });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}

async function documentsOf(project: string) {
  const rows = await t.database.db
    .selectFrom('documents')
    .select(['id', 'collection', 'name', 'version', 'revision', 'updated_by'])
    .where('project_id', '=', project)
    .execute();
  return rows;
}

const groupsOf = async (project: string) =>
  (await t.owner.call('GET', `/api/v3/setting/groups?project=${project}`)).body.items;
const membersOf = async (project: string) => {
  const [group] = await groupsOf(project);
  const { body } = await t.owner.call('GET', `/api/v3/setting/groups/${group.id}/members?project=${project}`);
  return body.items.map(({ username }: { username: string }) => username);
};

/** Everything left of a project with this name, and all rows of any table whose project does not exist. */
async function remainsOf(project: string): Promise<string[]> {
  const { db } = t.database;
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where column_name = 'project_id' and table_type = 'BASE TABLE' and table_name not like 'audit%'`.execute(db);
  const remains: string[] = [];
  const look = async (name: string, query: RawBuilder<unknown>) => {
    const { rows } = await query.execute(db);
    if (rows.length > 0) remains.push(name);
  };
  await look('projects', sql`select 1 from projects where lower(name) = lower(${project})`);
  await look('audit_log', sql`select 1 from audit_log where resource_name = ${project} and outcome = 'done'`);
  await look(
    'outbox',
    sql`
    select 1 from outbox where topic = 'documents.changed' and (payload ->> 'project')::uuid not in (select project_id from audit_log where action = 'project.create')`,
  );
  for (const { name } of tables) {
    await look(name, sql`select 1 from ${sql.table(name)} where project_id not in (select id from projects)`);
  }
  return remains;
}

/** Runs `work` with a trigger on the last starter document. */
async function withTrigger(body: string, work: () => Promise<void>): Promise<void> {
  const last = STARTER_DOCUMENTS.at(-1)?.name ?? '';
  await sql
    .raw(`create function in_the_way() returns trigger language plpgsql as $$ begin ${body} return new; end $$;
      create trigger in_the_way before insert on documents for each row when (new.name = '${last}')
        execute function in_the_way();`)
    .execute(t.database.owner);
  try {
    await work();
  } finally {
    await sql.raw('drop trigger in_the_way on documents; drop function in_the_way()').execute(t.database.owner);
  }
}

describe('a new project', () => {
  it('has the starter documents of the chosen versions, as if somebody had saved them', async () => {
    const id = await created(VERSIONS);
    const rows = await documentsOf(id);
    const wanted = VERSIONS.flatMap((version) =>
      STARTER_DOCUMENTS.map(({ collection, name }) => `${version} ${collection}/${name}`),
    );
    expect(rows.map(({ version, collection, name }) => `${version} ${collection}/${name}`).toSorted()).toEqual(
      wanted.toSorted(),
    );
    for (const row of rows) expect(row).toMatchObject({ revision: 1, updated_by: 'admin' });
    // The references work: a used document cannot be deleted, and the error names its users.
    const query = `project=${id}&version=${VERSIONS[0]}`;
    const refused = await t.owner.call('DELETE', `/api/v3/xds/filters/http-connection-manager?${query}`);
    expect(refused.body).toMatchObject({ code: 'record.in_use', users: [{ collection: 'listeners', name: 'http' }] });
    const saved = await t.owner.call('GET', `/api/v3/xds/listeners/http?${query}`);
    const { resource, description, labels } = saved.body;
    const again = await t.owner.call('PUT', `/api/v3/xds/listeners/http?${query}`, { resource, description, labels });
    expect([again.status, again.body.revision]).toEqual([200, 1]);
    const service = { name: 'edge', version: VERSIONS[0], bootstrap: 'main', listeners: ['http'] };
    expect((await t.owner.call('POST', `/api/op/services?project=${id}`, service)).status).toBe(201);
  });

  it('has those of the newest installed version by default, and no documents if none are wanted', async () => {
    const { body: offered } = await t.owner.call('GET', '/api/v3/setting/project-starters');
    expect(offered.versions).toContain(offered.default_version);
    expect(offered.documents).toHaveLength(STARTER_DOCUMENTS.length);
    const versions = new Set((await documentsOf(await created())).map(({ version }) => version));
    expect([...versions]).toEqual([offered.default_version]);
    expect(await documentsOf(await created([]))).toEqual([]);
  });

  it('lists its initial content in its first audit entry', async () => {
    const id = await created([VERSIONS[0] ?? '']);
    const { body } = await t.owner.call('GET', `/api/v3/audit/logs?project=${id}`);
    expect(body.items).toHaveLength(1);
    const { body: entry } = await t.owner.call('GET', `/api/v3/audit/logs/${body.items[0].id}?project=${id}`);
    expect(entry).toMatchObject({ action: 'project.create', actor: { name: 'admin' } });
    expect(entry.changes).toMatchObject({ group: 'default' });
    expect(entry.changes.documents).toContainEqual({ collection: 'listeners', name: 'http', version: VERSIONS[0] });
  });

  it('counts as empty until one of its documents is changed or another one is created', async () => {
    const version = VERSIONS[0] ?? '';
    const isEmpty = async (id: string) =>
      (await t.owner.call('GET', `/api/v3/setting/project/${id}/deletion`)).body.empty;
    const [untouched, changed, extended] = [
      await created([version]),
      await created([version]),
      await created([version]),
    ];
    const url = (id: string, what: string) => `/api/v3/xds/${what}?project=${id}&version=${version}`;
    const patch = { resource: { connect_timeout: '1s' } };
    expect((await t.owner.call('PATCH', url(changed, 'clusters/backend'), patch)).status).toBe(200);
    const cluster = { name: 'mine', version, resource: { connect_timeout: '1s' } };
    const added = await t.owner.call('POST', `/api/v3/xds/clusters?project=${extended}`, cluster);
    expect(added.status, JSON.stringify(added.body)).toBe(201);
    expect([await isEmpty(untouched), await isEmpty(changed), await isEmpty(extended)]).toEqual([true, false, false]);
    expect((await t.owner.call('DELETE', `/api/v3/setting/project/${changed}`)).body.code).toBe('project.not_empty');
    expect((await t.owner.call('DELETE', `/api/v3/setting/project/${untouched}`)).status).toBe(204);
  });

  it("does not count as empty with a user's document, even with the label or the name of a starter document", async () => {
    const version = VERSIONS[0] ?? '';
    for (const name of ['mine', 'backend']) {
      const id = await created(name === 'backend' ? [version] : []);
      const item = `/api/v3/xds/clusters/${name}?project=${id}&version=${version}`;
      if (name === 'backend') expect((await t.owner.call('DELETE', item)).status).toBe(204);
      const cluster = { name, version, labels: { is_default: 'true' }, resource: { connect_timeout: '1s' } };
      const added = await t.owner.call('POST', `/api/v3/xds/clusters?project=${id}`, cluster);
      expect([added.status, added.body.revision], JSON.stringify(added.body)).toEqual([201, 1]);
      const project = `/api/v3/setting/project/${id}`;
      expect((await t.owner.call('GET', `${project}/deletion`)).body.empty, name).toBe(false);
      expect((await t.owner.call('DELETE', project)).body.code, name).toBe('project.not_empty');
    }
  });

  it("has starter documents that a clean-up distinguishes from users' documents", async () => {
    const version = VERSIONS[0] ?? '';
    const id = await created([version]);
    const { body } = await t.owner.call('GET', `/api/v3/xds/clusters?project=${id}&label=is_default%3Dtrue`);
    expect(body.items).toMatchObject([{ name: 'backend', labels: { is_default: 'true' } }]);
  });

  it('shows its initial content in its deletion plan, and is deleted with all of it', async () => {
    const id = await created([VERSIONS[0] ?? '']);
    await untilRulesExist(t.database.db, id);
    const { body: plan } = await t.owner.call('GET', `/api/v3/setting/project/${id}/deletion`);
    expect(plan.contents).toContainEqual({ kind: 'groups', count: 1, examples: ['default'] });
    expect(plan.contents).toContainEqual(
      expect.objectContaining({ kind: 'documents', count: STARTER_DOCUMENTS.length }),
    );
    expect((await t.owner.call('DELETE', `/api/v3/setting/project/${id}?plan=${plan.digest}`)).status).toBe(204);
    expect([await documentsOf(id), (await t.owner.call('GET', `/api/v3/setting/project/${id}`)).status]).toEqual([
      [],
      404,
    ]);
  });

  it('is refused with an unknown or repeated version, and to callers who do not own the installation', async () => {
    const unknown = await make({ name: 'odd', starters: [VERSIONS[0] ?? '', '0.0.1'] });
    expect([unknown.status < 500, unknown.body.code]).toEqual([true, 'version.unknown']);
    const twice = await make({ name: 'odd', starters: ['1.40.0', '1.40.0'] });
    expect(twice.body.code).toBe('request.invalid');
    const chief = await t.createMember('owner');
    expect((await chief.call('POST', LIST, { name: 'odd', starters: [] })).body.code).toBe('owner.required');
    expect((await chief.call('GET', '/api/v3/setting/project-starters')).body.code).toBe('owner.required');
    expect(await remainsOf('odd')).toEqual([]);
  });

  it('leaves nothing after a dry run', async () => {
    expect((await make({ name: 'tried' }, '?dry_run=true')).body).toMatchObject({ name: 'tried', dry_run: true });
    expect(await remainsOf('tried')).toEqual([]);
  });

  it('leaves nothing if the last of its documents fails', async () => {
    await withTrigger(`raise exception 'disk full';`, async () => {
      expect((await make({ name: 'half', starters: VERSIONS })).status).toBe(500);
      expect(await remainsOf('half')).toEqual([]);
    });
    expect((await make({ name: 'half', starters: VERSIONS })).status).toBe(201);
    expect(await remainsOf('half')).toEqual(['projects', 'audit_log']);
  });

  it('leaves nothing if its controller dies in the middle', async () => {
    const { owner } = t.database;
    await sql`create table gate (); grant select on gate to public`.execute(owner);
    await withTrigger('perform 1 from gate;', async () => {
      await owner.transaction().execute(async (gate) => {
        await sql`lock table gate in access exclusive mode`.execute(gate);
        const answer = make({ name: 'cut', starters: VERSIONS });
        const waiting = await vi.waitFor(async () => {
          const { rows } = await sql<{ pid: number }>`
            select pid from pg_locks where relation = 'gate'::regclass and not granted
              and database = (select oid from pg_database where datname = current_database())`.execute(owner);
          expect(rows).toHaveLength(1);
          return rows[0]?.pid;
        }, WAIT);
        // Simulates `kill -9` as the database sees it: the connection ends inside the transaction.
        await sql`select pg_terminate_backend(${waiting})`.execute(owner);
        expect((await answer).status).toBeGreaterThanOrEqual(500);
      });
    });
    await sql`drop table gate`.execute(owner);
    expect(await remainsOf('cut')).toEqual([]);
  });

  it('is created once if several requests with its name arrive together', async () => {
    const names = ['Same', 'same', 'SAME', 'sAme'];
    const answers = await Promise.all(names.map((name) => make({ name })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    const { body } = await t.owner.call('GET', `${LIST}?q=same`);
    expect(body.items).toHaveLength(1);
    expect(await documentsOf(body.items[0].id)).toHaveLength(STARTER_DOCUMENTS.length);
    const winner = names[answers.findIndex(({ status }) => status === 201)];
    for (const name of names.filter((one) => one !== winner)) {
      expect(await remainsOf(name)).toEqual(['projects']);
    }
  });
});

describe('the group default', () => {
  it('gets every new member of its own project, however they join', async () => {
    const [here, there] = [await created([]), await created([])];
    expect(await groupsOf(here)).toMatchObject([{ name: 'default', is_default: true, member_count: 0 }]);
    const ann = await t.createMember('viewer', here);
    const bob = await t.createMember('viewer', there);
    expect([await membersOf(here), await membersOf(there)]).toEqual([[ann.username], [bob.username]]);
    // Invited by an admin, in whose scope the database only shows this project.
    const admin = await t.createMember('admin', here);
    const body = { username: bob.username, role: 'editor' };
    const added = await admin.call('POST', `/api/v3/setting/memberships?project=${here}`, body);
    expect(added.status, JSON.stringify(added.body)).toBe(201);
    expect((await bob.call('POST', `/api/v3/profile/invitations/${added.body.id}/accept`)).status).toBe(200);
    expect(await membersOf(here)).toEqual([ann.username, bob.username, admin.username].toSorted());
    expect(await membersOf(there)).toEqual([bob.username]);
  });

  it('is left for good by members who are removed from it or leave the project', async () => {
    const project = await created([]);
    const ann = await t.createMember('viewer', project);
    const bob = await t.createMember('viewer', project);
    const [group] = await groupsOf(project);
    const member = `/api/v3/setting/groups/${group.id}/members/${ann.userId}?project=${project}`;
    expect((await t.owner.call('DELETE', member)).status).toBe(204);
    await t.owner.call('PUT', `/api/v3/setting/users/${ann.userId}/memberships/${project}`, { role: 'editor' });
    expect(await membersOf(project)).toEqual([bob.username]);
    await t.owner.call('DELETE', `/api/v3/setting/users/${bob.userId}/memberships/${project}`);
    expect(await membersOf(project)).toEqual([]);
  });

  it('defines what all members can access in a restricted project, and gives nothing else of the starter documents', async () => {
    const project = await created([VERSIONS[0] ?? '']);
    const ann = await t.createMember('viewer', project);
    const access = `/api/v3/setting/resource-access?project=${project}`;
    const url = `/api/v3/xds/listeners?project=${project}`;
    expect((await ann.call('GET', url)).body.items).toHaveLength(1);
    expect((await t.owner.call('PUT', access, { resource_access: 'listed' })).status).toBeLessThan(300);
    expect((await ann.call('GET', url)).body.items).toEqual([]);
    const [group] = await groupsOf(project);
    const listener = (await documentsOf(project)).find(({ collection }) => collection === 'listeners');
    const given = await t.owner.call('POST', `/api/v3/setting/permissions?project=${project}`, {
      subject: { kind: 'group', id: group.id },
      resource: { kind: 'document', id: listener?.id },
      level: 'view',
    });
    expect(given.status, JSON.stringify(given.body)).toBeLessThan(300);
    expect((await ann.call('GET', url)).body.items).toMatchObject([{ name: 'http' }]);
    expect((await ann.call('GET', `/api/v3/xds/routes?project=${project}`)).body.items).toEqual([]);
  });

  it('can be deleted like any other group, and then gets no members', async () => {
    const project = await created([]);
    const [group] = await groupsOf(project);
    expect((await t.owner.call('DELETE', `/api/v3/setting/groups/${group.id}?project=${project}`)).status).toBe(204);
    await t.createMember('viewer', project);
    expect(await groupsOf(project)).toEqual([]);
  });
});
