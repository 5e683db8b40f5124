import { fail, type ProjectView } from '@flotilla/contract';
import { type Db, type Tx, uniqueViolationOf } from '@flotilla/db';
import { sql } from 'kysely';
import {
  executePage,
  type ListQuery,
  type ListRules,
  matchesText,
  parsePage,
} from '../../../platform/database/paging.ts';

const RULES: ListRules = {
  sortable: { name: sql`lower(projects.name)`, created_at: 'projects.created_at', updated_at: 'projects.updated_at' },
  defaultSort: 'name',
  id: 'projects.id',
};

function selectProjects(db: Db) {
  return db
    .selectFrom('projects')
    .select((eb) => [
      'projects.id',
      'projects.name',
      'projects.description',
      'projects.created_at',
      'projects.updated_at',
      'projects.revision',
      eb
        .selectFrom('memberships')
        .select(sql<number>`count(*)::int`.as('count'))
        .whereRef('memberships.project_id', '=', 'projects.id')
        .as('member_count'),
    ]);
}

type ProjectRow = Awaited<ReturnType<ReturnType<typeof selectProjects>['executeTakeFirstOrThrow']>>;

function toView(row: ProjectRow): ProjectView {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    member_count: row.member_count ?? 0,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    revision: row.revision,
  };
}

export async function listProjects(db: Db, query: ListQuery & { q?: string | undefined }) {
  let select = selectProjects(db);
  if (query.q) select = select.where(matchesText(['projects.name', 'projects.description'], query.q));
  const { rows, next_cursor } = await executePage(select, parsePage(query, RULES));
  return { items: rows.map(toView), next_cursor };
}

/** Throws record.not_found. */
export async function findProject(db: Db, id: string): Promise<ProjectView> {
  const row = await selectProjects(db).where('projects.id', '=', id).executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'project', name: id });
  return toView(row);
}

/** Prevents additions to the project and other changes of it until the transaction ends. */
export async function lockProject(tx: Tx, id: string): Promise<ProjectView> {
  await tx.selectFrom('projects').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return findProject(tx, id);
}

export interface ProjectValues {
  readonly name: string;
  readonly description: string | null;
}

export async function insertProject(tx: Tx, id: string, values: ProjectValues, now: Date): Promise<void> {
  await naming(values.name, () =>
    tx
      .insertInto('projects')
      .values({ id, ...values, created_at: now, updated_at: now })
      .execute(),
  );
}

export async function updateProject(tx: Tx, id: string, values: Partial<ProjectValues>, now: Date): Promise<void> {
  await naming(values.name ?? '', () =>
    tx
      .updateTable('projects')
      .set((eb) => ({ ...values, updated_at: now, revision: eb('revision', '+', 1) }))
      .where('id', '=', id)
      .execute(),
  );
}

async function naming(name: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (uniqueViolationOf(error) === undefined) throw error;
    throw fail('record.exists', { kind: 'project', name }, { cause: error });
  }
}
