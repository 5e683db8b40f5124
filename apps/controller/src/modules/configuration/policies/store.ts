import type { Db, PoliciesTable, StoredPolicyFile, Tx } from '@flotilla/db';
import { type Selectable, sql } from 'kysely';

export type PolicyRow = Selectable<PoliciesTable>;

/** Held by everyone who writes policies of a project, or services that use them. */
export async function lockPolicies(tx: Tx, project: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`policies ${project.toLowerCase()}`}, 0))`.execute(tx);
}

export async function findPolicy(db: Db, project: string, name: string): Promise<PolicyRow | undefined> {
  return db
    .selectFrom('policies')
    .selectAll()
    .where('project_id', '=', project)
    .where('name', '=', name)
    .executeTakeFirst();
}

export async function findPolicies(db: Db, project: string, names: readonly string[]): Promise<PolicyRow[]> {
  if (names.length === 0) return [];
  return db.selectFrom('policies').selectAll().where('project_id', '=', project).where('name', 'in', names).execute();
}

/** A policy with encrypted secrets. */
export interface SealedContent {
  readonly description: string | null;
  readonly text: string;
  readonly files: readonly StoredPolicyFile[];
  readonly digest: string;
}

interface Stamp {
  readonly at: Date;
  readonly by: string;
}

export async function insertPolicy(
  tx: Tx,
  row: { id: string; project: string; name: string },
  { content, stamp }: { content: SealedContent; stamp: Stamp },
): Promise<PolicyRow> {
  const stored = await tx
    .insertInto('policies')
    .values({
      id: row.id,
      project_id: row.project,
      name: row.name,
      ...toColumns(content),
      created_at: stamp.at,
      updated_at: stamp.at,
      updated_by: stamp.by,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await insertRevision(tx, stored, { content, stamp });
  return stored;
}

export async function updatePolicy(
  tx: Tx,
  id: string,
  { content, stamp }: { content: SealedContent; stamp: Stamp },
): Promise<PolicyRow> {
  const stored = await tx
    .updateTable('policies')
    .set({ ...toColumns(content), updated_at: stamp.at, updated_by: stamp.by })
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await insertRevision(tx, stored, { content, stamp });
  return stored;
}

async function insertRevision(
  tx: Tx,
  row: PolicyRow,
  { content, stamp }: { content: SealedContent; stamp: Stamp },
): Promise<void> {
  await tx
    .insertInto('policy_revisions')
    .values({
      policy_id: row.id,
      revision: row.revision,
      ...toColumns(content),
      created_at: stamp.at,
      created_by: stamp.by,
    })
    .execute();
}

function toColumns({ description, text, files, digest }: SealedContent) {
  return { description, text, files: JSON.stringify(files), digest };
}

/** Services that use this policy, each with all its policies in order. */
export async function findPolicyUsers(db: Db, project: string, name: string) {
  const { rows } = await sql<{ id: string; name: string; policies: string[] }>`
    select r.from_id as id, r.from_name as name, array_agg(r.to_name order by r.path) as policies
    from document_references r
    where r.project_id = ${project} and r.from_collection = 'services' and r.to_collection = 'policies'
      and r.from_id in (
        select from_id from document_references
        where project_id = ${project} and version = '' and to_collection = 'policies' and to_name = ${name}
      )
    group by 1, 2 order by 2
  `.execute(db);
  return rows;
}

export interface ServiceName {
  readonly id: string;
  readonly name: string;
}

/** The services that name each policy; unused policies are missing. */
export async function findUsersByPolicy(
  db: Db,
  project: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly ServiceName[]>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom('document_references')
    .select(['to_name', 'from_id as id', 'from_name as name'])
    .distinct()
    .where('project_id', '=', project)
    .where('from_collection', '=', 'services')
    .where('to_collection', '=', 'policies')
    .where('to_name', 'in', names)
    .orderBy('from_name')
    .execute();
  return Map.groupBy(rows, (row) => row.to_name);
}
