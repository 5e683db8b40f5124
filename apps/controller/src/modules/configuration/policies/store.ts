import type { Db, Tx } from '@flotilla/db';
import { type Selectable, sql } from 'kysely';
import { takeLock } from '../../../platform/database/named-lock.ts';
import type { ListQuery } from '../../../platform/database/paging.ts';
import { Rows, type SearchQuery } from '../../../platform/database/records.ts';
import type { PoliciesTable, StoredPolicyFile } from './tables.ts';

export type PolicyRow = Selectable<PoliciesTable>;

/** Held by everyone who writes policies of a project, or services that use them. */
export async function lockProject(tx: Tx, project: string): Promise<void> {
  await takeLock(tx, `policies ${project.toLowerCase()}`);
}

export async function findPolicy(db: Db, project: string, name: string): Promise<PolicyRow | undefined> {
  return db
    .selectFrom('policies')
    .selectAll()
    .where('project_id', '=', project)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** A policy with encrypted secrets. */
export interface EncryptedContent {
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
  { content, stamp }: { content: EncryptedContent; stamp: Stamp },
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
  { content, stamp }: { content: EncryptedContent; stamp: Stamp },
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
  { content, stamp }: { content: EncryptedContent; stamp: Stamp },
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

function toColumns({ description, text, files, digest }: EncryptedContent) {
  return { description, text, files: JSON.stringify(files), digest };
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

export async function deletePolicy(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('policies').where('id', '=', id).execute();
}

export async function findRevision(db: Db | Tx, policyId: string, revision: number) {
  return db
    .selectFrom('policy_revisions')
    .selectAll()
    .where('policy_id', '=', policyId)
    .where('revision', '=', revision)
    .executeTakeFirst();
}

interface PolicyQuery extends SearchQuery {
  readonly name?: readonly string[] | undefined;
  readonly state?: readonly 'unused'[] | undefined;
}

const POLICIES = new Rows<PolicyRow, PolicyRow, PolicyQuery>({
  sortable: { name: 'policies.name', created_at: 'policies.created_at', updated_at: 'policies.updated_at' },
  defaultSort: 'name',
  id: 'policies.id',
  searched: ['policies.name', 'policies.description', 'policies.text'],
  filters: { name: 'policies.name', state: isUnused },
  toView: (row) => row,
});

export const listPolicies = (db: Db, project: string, query: PolicyQuery) =>
  POLICIES.list(db.selectFrom('policies').selectAll().where('project_id', '=', project), query);

/** Whether no service names a row of `policies`. */
function isUnused() {
  return sql<boolean>`not exists (
    select from document_references users
    where users.project_id = policies.project_id and users.from_collection = 'services'
      and users.to_collection = 'policies' and users.to_name = policies.name)`;
}

const REVISIONS = new Rows({
  sortable: { revision: 'revision' },
  defaultSort: '-revision',
  id: 'revision',
  toView: (row: { revision: number; created_at: Date; created_by: string; digest: string }) => ({
    ...row,
    created_at: row.created_at.toISOString(),
  }),
});

export function listRevisions(db: Db, policyId: string, query: ListQuery) {
  const select = db
    .selectFrom('policy_revisions')
    .select(['revision', 'created_at', 'created_by', 'digest'])
    .where('policy_id', '=', policyId);
  return REVISIONS.list(select, query);
}
