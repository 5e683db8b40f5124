import { fail } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';

/** Throws `record.not_found` if the project was deleted. */
export async function findProjectName(db: Db | Tx, id: string): Promise<{ id: string; name: string }> {
  const row = await db.selectFrom('projects').select(['id', 'name']).where('id', '=', id).executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'project', name: id });
  return row;
}

export async function findServices(db: Db | Tx, project: string, names: readonly string[]) {
  if (names.length === 0) return [];
  return db.selectFrom('services').selectAll().where('project_id', '=', project).where('name', 'in', names).execute();
}

/** Returns the clients of a service in the order of its document. */
export async function findTargets(db: Db | Tx, service: string): Promise<{ client_id: string; addresses: string[] }[]> {
  return db
    .selectFrom('service_targets')
    .select(['client_id', 'addresses'])
    .where('service_id', '=', service)
    .orderBy('position')
    .execute();
}
