import type { Db } from '@flotilla/db';

/** Whether the client runs the service, in its own project. */
export async function isAssigned(
  db: Db,
  { client, service, project }: { readonly client: string; readonly service: string; readonly project: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('service_targets')
    .innerJoin('services', 'services.id', 'service_targets.service_id')
    .select('services.id')
    .where('service_targets.client_id', '=', client)
    .where('service_targets.service_id', '=', service)
    .where('services.project_id', '=', project)
    .executeTakeFirst();
  return row !== undefined;
}

/** Ids of those that still exist. */
export async function listExisting(db: Db, projects: readonly string[]): Promise<ReadonlySet<string>> {
  if (projects.length === 0) return new Set();
  const rows = await db.selectFrom('projects').select('id').where('id', 'in', projects).execute();
  return new Set(rows.map(({ id }) => id));
}
