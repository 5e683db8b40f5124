import type { ProjectView } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { Records, type RowOf, type SearchQuery } from '../../../platform/database/records.ts';

const PROJECTS = new Records<ProjectRow, ProjectView>({
  kind: 'project',
  table: 'projects',
  sortable: { name: sql`lower(projects.name)`, created_at: 'projects.created_at', updated_at: 'projects.updated_at' },
  defaultSort: 'name',
  searched: ['projects.name', 'projects.description'],
  toView,
});

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

type ProjectRow = RowOf<typeof selectProjects>;

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

export const listProjects = (db: Db, query: SearchQuery) => PROJECTS.list(selectProjects(db), query);

/** Throws record.not_found. */
export const findProject = (db: Db, id: string) => PROJECTS.find(selectProjects(db), id);

/** Prevents additions to the project and other changes of it until the transaction ends. */
export const lockProject = (tx: Tx, id: string) => PROJECTS.lock(selectProjects(tx), id);

export interface ProjectValues {
  readonly name: string;
  readonly description: string | null;
}

export async function insertProject(tx: Tx, id: string, values: ProjectValues, now: Date): Promise<void> {
  await PROJECTS.refuseSameName(values.name, () =>
    tx
      .insertInto('projects')
      .values({ id, ...values, created_at: now, updated_at: now })
      .execute(),
  );
}

export async function updateProject(tx: Tx, id: string, values: Partial<ProjectValues>, now: Date): Promise<void> {
  await PROJECTS.refuseSameName(values.name ?? '', () =>
    tx
      .updateTable('projects')
      .set((eb) => ({ ...values, updated_at: now, revision: eb('revision', '+', 1) }))
      .where('id', '=', id)
      .execute(),
  );
}
