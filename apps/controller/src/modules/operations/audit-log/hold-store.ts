import type { AuditHold } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { Selectable } from 'kysely';
import type { AuditHoldsTable } from './tables.ts';

export async function listHolds(db: Db): Promise<AuditHold[]> {
  const rows = await db
    .selectFrom('audit_holds')
    .selectAll()
    .orderBy('released_at', (order) => order.desc().nullsFirst())
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(1000)
    .execute();
  return rows.map(toHold);
}

export async function insertHold(tx: Tx, hold: Omit<AuditHold, 'released_by' | 'released_at'>): Promise<AuditHold> {
  const { project: project_id, from: from_at, to: to_at, ...rest } = hold;
  const values = { ...rest, project_id, from_at, to_at, released_by: null, released_at: null };
  return toHold(await tx.insertInto('audit_holds').values(values).returningAll().executeTakeFirstOrThrow());
}

export async function findHold(db: Db, id: string): Promise<AuditHold | undefined> {
  const row = await db.selectFrom('audit_holds').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toHold(row);
}

/** Like `findHold`, locked until the transaction ends. */
export async function lockHold(tx: Tx, id: string): Promise<AuditHold | undefined> {
  const row = await tx.selectFrom('audit_holds').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  return row && toHold(row);
}

export async function releaseHold(tx: Tx, id: string, by: string, at: Date): Promise<AuditHold> {
  const row = await tx
    .updateTable('audit_holds')
    .set({ released_by: by, released_at: at })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return toHold(row);
}

function toHold(row: Selectable<AuditHoldsTable>): AuditHold {
  return {
    id: row.id,
    project: row.project_id,
    from: row.from_at?.toISOString() ?? null,
    to: row.to_at?.toISOString() ?? null,
    reason: row.reason,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    released_by: row.released_by,
    released_at: row.released_at?.toISOString() ?? null,
  };
}
