import type { Db } from '@flotilla/db';
import type { JobRef } from './model.ts';
import type { JobStatus } from './tables.ts';

/** The newest job of a type about one resource. */
export interface NewestJob extends JobRef {
  /** The name of the resource. */
  readonly about: string;
  readonly status: JobStatus;
  readonly endedAt: Date | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** In all projects. */
export async function findNewestAbout(
  db: Db,
  { type, about }: { readonly type: string; readonly about: string },
): Promise<NewestJob | undefined> {
  const row = await select(db, type).where('resource_name', '=', about).orderBy('id', 'desc').executeTakeFirst();
  return row && toNewest(row);
}

/** The newest job about each resource in a project, newest first. */
export async function listNewestAbout(
  db: Db,
  { type, project, limit }: { readonly type: string; readonly project: string; readonly limit: number },
): Promise<NewestJob[]> {
  const rows = await select(db, type)
    .where('project_id', '=', project)
    .distinctOn('resource_name')
    .orderBy('resource_name')
    .orderBy('id', 'desc')
    .execute();
  return rows
    .map(toNewest)
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}

function select(db: Db, type: string) {
  return db
    .selectFrom('jobs')
    .select(['id', 'number', 'resource_name', 'status', 'ended_at', 'error'])
    .where('type', '=', type);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

function toNewest({ id, number, resource_name, status, ended_at, error }: Row): NewestJob {
  return { id, number, about: resource_name ?? '', status, endedAt: ended_at, error: error as NewestJob['error'] };
}
