import type { Db } from '@flotilla/db';
import { type SqlBool, sql } from 'kysely';

const PART = 2000;

/** The confirmed operations in parts, in the order of their ids. Row-level security leaves out those that the caller may not see. */
export async function* readOwnedRows(db: Db, projectId: string) {
  for (let after = ''; ; ) {
    const rows = await selectRows(db, projectId).where('o.id', '>', after).orderBy('o.id').limit(PART).execute();
    if (rows.length > 0) yield rows;
    if (rows.length < PART) return;
    after = rows.at(-1)?.id ?? '';
  }
}

export async function findOwnedRow(db: Db, projectId: string, id: string) {
  return selectRows(db, projectId).where('o.id', '=', id).executeTakeFirst();
}

function selectRows(db: Db, projectId: string) {
  return db
    .selectFrom('inventory_operations as o')
    .select(['o.id', 'o.method', 'o.host', 'o.path', 'o.operation', 'o.listeners', 'o.protocols', 'o.active_risk'])
    .select(['o.active_posture_risk', 'o.active_flags', 'o.active_pii', 'o.auth_posture', 'o.last_seen'])
    .where('o.project_id', '=', projectId)
    .where(sql<SqlBool>`o.confirmed and not o.is_other`);
}
