import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

/** Those of `ids` whose stream belongs to this controller. */
export async function listOwnClients(db: Db, controllerId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('clients')
    .select('id')
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .where('connected_to', '=', controllerId)
    .execute();
  return rows.map(({ id }) => id);
}

export function listRevisions(
  db: Db,
  ids: readonly string[],
): Promise<Array<{ id: string; desired_revision: number }>> {
  return db
    .selectFrom('clients')
    .select(['id', 'desired_revision'])
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
}

/** Those of `ids` with commands that no stream has sent. */
export async function listClientsWithCommands(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('commands')
    .select('client_id')
    .distinct()
    .where('status', '=', 'pending')
    .where(sql<boolean>`client_id = any(${[...ids]}::uuid[])`)
    .execute();
  return rows.map((row) => row.client_id);
}
