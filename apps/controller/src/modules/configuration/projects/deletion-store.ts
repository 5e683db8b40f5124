import { createHash } from 'node:crypto';
import type { DeletionPlan } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';

/**
 * Tables that keep their rows when the project is deleted: the audit log outlives its objects, and revoked certificates
 * stay listed until they expire, because every controller refuses them by this list.
 */
export function isKept(table: string): boolean {
  return table.startsWith('audit_') || table === 'client_certificates';
}

/** Content created by users; a project without any counts as empty. Starter documents do not count. */
const CONTENTS = ['policies', 'services', 'clients'];
const EXAMPLES_MAX = 20;

interface ProjectTable {
  readonly name: string;
  /** Its rows have names and ids; these determine whether a deletion plan is still valid. */
  readonly named: boolean;
}

interface TableCount {
  readonly kind: string;
  readonly count: number;
  readonly examples: string[] | null;
  readonly ids: string | null;
}

/** All tables with rows of projects, from the catalogue, so that new tables are included. */
async function listProjectTables(db: Db | Tx): Promise<ProjectTable[]> {
  const { rows } = await sql<ProjectTable>`
    select tables.relname as name, count(*) filter (where columns.attname in ('id', 'name')) = 2 as named
    from pg_class tables
    join pg_attribute columns on columns.attrelid = tables.oid and columns.attnum > 0 and not columns.attisdropped
    where tables.relnamespace = current_schema()::regnamespace and tables.relkind in ('r', 'p') and not tables.relispartition
    group by tables.relname
    having bool_or(columns.attname = 'project_id')
    order by tables.relname`.execute(db);
  return rows.filter(({ name }) => !isKept(name));
}

/** Reads everything that the deletion would remove, and what prevents it, in one query. */
export async function planDeletion(db: Db | Tx, projectId: string): Promise<DeletionPlan> {
  const counts = (await listProjectTables(db)).map(({ name, named }) =>
    named
      ? sql`select ${name}::text as kind, count(*)::int as count,
          (array_agg(name order by name, id))[1:${sql.lit(EXAMPLES_MAX)}] as examples,
          md5(string_agg(id::text || ' ' || name, ',' order by id)) as ids
        from ${sql.table(name)} where project_id = ${projectId}`
      : sql`select ${name}::text as kind, count(*)::int as count, null::text[] as examples, null::text as ids
        from ${sql.table(name)} where project_id = ${projectId}`,
  );
  const { rows } = await sql<TableCount>`${sql.join(counts, sql` union all `)}`.execute(db);
  const contents = rows.filter(({ count }) => count > 0);
  const isEmpty = !contents.some(({ kind }) => CONTENTS.includes(kind)) && !(await hasOwnDocuments(db, projectId));
  const named = contents.flatMap(({ kind, ids }) => (ids === null ? [] : [`${kind} ${ids}`]));
  return {
    digest: createHash('sha256')
      .update(JSON.stringify([projectId, named]))
      .digest('hex'),
    empty: isEmpty,
    contents: contents.map(({ kind, count, examples }) => ({ kind, count, examples: examples ?? [] })),
    running: await listRunning(db, projectId),
  };
}

/**
 * Documents that a user created or changed. Starter documents have the project's creation time, which users cannot
 * choose, unlike labels and names.
 */
async function hasOwnDocuments(db: Db | Tx, projectId: string): Promise<boolean> {
  const own = await db
    .selectFrom('documents')
    .innerJoin('projects', 'projects.id', 'documents.project_id')
    .select('documents.id')
    .where('documents.project_id', '=', projectId)
    .where((eb) =>
      eb.or([eb('documents.revision', '>', 1), eb('documents.created_at', '!=', eb.ref('projects.created_at'))]),
    )
    .limit(1)
    .executeTakeFirst();
  return own !== undefined;
}

async function listRunning(db: Db | Tx, projectId: string): Promise<DeletionPlan['running']> {
  return db
    .selectFrom('service_targets')
    .innerJoin('services', 'services.id', 'service_targets.service_id')
    .innerJoin('clients', 'clients.id', 'service_targets.client_id')
    .select(['services.name as service', 'clients.name as client'])
    .where('services.project_id', '=', projectId)
    .where('service_targets.deployed', '=', true)
    .orderBy('services.name')
    .orderBy('clients.name')
    .limit(1000)
    .execute();
}

/** Prevents deployments of the project until the transaction ends. Call it under `lockProject`. */
export async function lockServices(tx: Tx, projectId: string): Promise<void> {
  const services = tx.selectFrom('services').select('id').where('project_id', '=', projectId).orderBy('id');
  await services.forUpdate().execute();
}

export async function listClientIds(tx: Tx, projectId: string): Promise<string[]> {
  const rows = await tx.selectFrom('clients').select('id').where('project_id', '=', projectId).execute();
  return rows.map(({ id }) => id);
}

/** Deletes the project and its rows in all tables, except for the kept ones. */
export async function deleteProject(tx: Tx, id: string): Promise<void> {
  // Before the clients that they name.
  await tx.deleteFrom('services').where('project_id', '=', id).execute();
  await tx.deleteFrom('clients').where('project_id', '=', id).execute();
  await tx.deleteFrom('projects').where('id', '=', id).execute();
  for (const { name } of await listProjectTables(tx)) {
    await sql`delete from ${sql.table(name)} where project_id = ${id}`.execute(tx);
  }
}
