import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { TEST_VERSION } from './fleet.ts';

interface LargeProject {
  readonly project: string;
  /** Clusters, `cluster-1` and so on. */
  readonly things: number;
  /** Editors; each has permissions on 100 resources and is in two of fifty groups, which have 1,000 each. */
  readonly subjects: number;
  /** Existing members, each with permissions on this many resources, starting with the first. */
  readonly given: readonly { readonly userId: string; readonly things: number }[];
}

/** Fills a project with restricted access, bypassing triggers and row-level security. */
export async function fillRestrictedProject(database: TestDatabase, of: LargeProject): Promise<void> {
  const { project, things, subjects, given } = of;
  const mark = createId().slice(-8);
  await database.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`update projects set resource_access = 'listed' where id = ${project}`.execute(tx);
    await sql`insert into documents (id, project_id, version, collection, name, type, resource, created_at, updated_at, updated_by)
      select gen_random_uuid(), ${project}, ${TEST_VERSION}, 'clusters', 'cluster-' || n, 'envoy.config.cluster.v3.Cluster',
        '{"type":"STATIC"}', now(), now(), 'test' from generate_series(1, ${things}::int) n`.execute(tx);
    await sql`insert into document_names (document_id, project_id, version, collection, name)
      select id, project_id, version, collection, name from documents where project_id = ${project}
      on conflict do nothing`.execute(tx);
    await sql`insert into users (id, username, password_changed_at, created_at, updated_at)
      select gen_random_uuid(), ${`large-${mark}-`} || n, now(), now(), now()
      from generate_series(1, ${subjects}::int) n`.execute(tx);
    await sql`insert into memberships (project_id, user_id, role, created_at)
      select ${project}, id, 'editor', now() from users where username like ${`large-${mark}-%`}`.execute(tx);
    await sql`insert into groups (id, project_id, name, created_at, updated_at)
      select gen_random_uuid(), ${project}, 'group-' || n, now(), now() from generate_series(0, 49) n`.execute(tx);
    await sql`insert into group_members (project_id, group_id, user_id, added_at)
      select ${project}, groups.id, users.id, now()
      from (select id, row_number() over (order by id) as n from users where username like ${`large-${mark}-%`}) users
      join groups on groups.project_id = ${project}
        and groups.name in ('group-' || users.n % 50, 'group-' || (users.n + 7) % 50)`.execute(tx);
    await sql`create temporary table numbered on commit drop as
      select id, row_number() over (order by length(name), name) - 1 as n
      from documents where project_id = ${project} and collection = 'clusters'`.execute(tx);
    await sql`create index on numbered (n)`.execute(tx);
    const give = sql`insert into permissions (id, project_id, resource_kind, resource_id, user_id, group_id, level, granted_by, granted_at)
      select gen_random_uuid(), ${project}, 'document', numbered.id`;
    await sql`${give}, users.id, null, 'change', 'test', now()
      from (select id, row_number() over (order by id) as n from users where username like ${`large-${mark}-%`}) users
      cross join generate_series(0, 99) k
      join numbered on numbered.n = (users.n * 97 + k * 31) % ${things}::int
      on conflict do nothing`.execute(tx);
    await sql`${give}, null, groups.id, 'use', 'test', now()
      from groups cross join generate_series(0, 999) k
      join numbered on numbered.n = (substr(groups.name, 7)::int * 1009 + k) % ${things}::int
      where groups.project_id = ${project} and groups.name like 'group-%' on conflict do nothing`.execute(tx);
    for (const { userId, things: count } of given)
      await sql`${give}, ${userId}::uuid, null, 'change', 'test', now() from numbered where n < ${count}::int`.execute(
        tx,
      );
  });
  await sql`analyze documents, document_names, permissions, users, memberships, groups, group_members`.execute(
    database.owner,
  );
}
