import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';

/** Resolves errors of one service; other ids are ignored. Returns the number. */
export async function resolveErrors(
  tx: Tx,
  serviceId: string,
  { ids, by, now }: { ids: readonly string[]; by: string; now: Date },
): Promise<number> {
  const rows = await tx
    .updateTable('config_errors')
    .set({ status: 'resolved', resolved_at: now, resolved_by: by })
    .where('service_id', '=', serviceId)
    .where('status', '=', 'active')
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .returning('id')
    .execute();
  return rows.length;
}

export async function deleteErrors(tx: Tx, serviceId: string, ids: readonly string[]): Promise<number> {
  const rows = await tx
    .deleteFrom('config_errors')
    .where('service_id', '=', serviceId)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .returning('id')
    .execute();
  return rows.length;
}

export async function findServiceName(
  db: Db,
  key: { projectId: string; serviceId: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('services')
    .select('name')
    .where('id', '=', key.serviceId)
    .where('project_id', '=', key.projectId)
    .executeTakeFirst();
  return row?.name;
}
