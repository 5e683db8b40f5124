import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from './database.ts';

/** Deletes the rows of a table that match `isOld`, `batch` per statement, so that others do not wait long. */
export async function deleteInBatches(
  db: Db,
  table: string,
  { isOld, batch }: { readonly isOld: RawBuilder<SqlBool>; readonly batch: number },
): Promise<void> {
  let taken = batch;
  while (taken >= batch) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${isOld} limit ${batch}))`.execute(db);
    taken = Number(numAffectedRows ?? 0n);
  }
}
