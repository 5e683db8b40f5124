import { createHash } from 'node:crypto';
import type { DeletionPlan } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';

/**
 * What stays when its project goes: the record of who did what outlives what it was done to, and revoked certificates stay
 * known until they end, because every controller refuses them by this list.
 */
export function isKept(table: string): boolean {
  return table.startsWith('audit_') || table === 'client_certificates';
}

/** What people have put in: with none of it a project is empty. Of documents those count that it was not born with. */
const CONTENTS = ['policies', 'services', 'clients'];
const EXAMPLES_MAX = 20;

interface ProjectTable {
  readonly name: string;
  /** It has rows that people know by name and id: these decide whether a plan still holds. */
  readonly named: boolean;
}

interface TableCount {
  readonly kind: string;
  readonly count: number;
  readonly examples: string[] | null;
  readonly ids: string | null;
}

/** Every table that has rows of projects, from the catalogue, so that a new one cannot be forgotten. */
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

/** All that is deleted with the project, in one query, and what keeps it from being deleted. */
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
 * Documents that somebody has made, or has changed since the project was born with them. Those are of the moment of its
 * creation, which nobody chooses; their labels and names anybody may give to theirs.
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

/** Nothing of the project is deployed until the transaction ends. Only under `lockProject`. */
export async function lockServices(tx: Tx, projectId: string): Promise<void> {
  const services = tx.selectFrom('services').select('id').where('project_id', '=', projectId).orderBy('id');
  await services.forUpdate().execute();
}

export async function listClientIds(tx: Tx, projectId: string): Promise<string[]> {
  const rows = await tx.selectFrom('clients').select('id').where('project_id', '=', projectId).execute();
  return rows.map(({ id }) => id);
}

/** The project and every row of it in every table but those that are kept. */
export async function deleteProject(tx: Tx, id: string): Promise<void> {
  // Before the clients that they name.
  await tx.deleteFrom('services').where('project_id', '=', id).execute();
  await tx.deleteFrom('clients').where('project_id', '=', id).execute();
  await tx.deleteFrom('projects').where('id', '=', id).execute();
  for (const { name } of await listProjectTables(tx)) {
    await sql`delete from ${sql.table(name)} where project_id = ${id}`.execute(tx);
  }
}
