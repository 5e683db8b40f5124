import type { Tx } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { TableRow } from '../../../platform/features/index.ts';
import type { EncryptedPlace, Reencrypt } from './encrypted-places.ts';

/** Rows per transaction: some are bundles of several megabytes. */
const BATCH = 50;

/** The primary key of the last row of a batch. */
export type Place = readonly unknown[];

/** Rows with a value encrypted with another key. */
function isEncryptedOtherwise({ table, column, kind }: EncryptedPlace, keyId: number): RawBuilder<SqlBool> {
  const value = sql.ref(`${table}.${column}`);
  switch (kind) {
    case 'bytes':
      return sql`sealing_key(${value}) <> ${keyId}`;
    case 'secret':
      return sql`${value} ? 'sealed' and sealing_key(decode(${value} ->> 'sealed', 'base64')) <> ${keyId}`;
    case 'files':
      return sql`exists (select from jsonb_array_elements(${value}) file where file ? 'sealed_base64'
        and sealing_key(decode(file ->> 'sealed_base64', 'base64')) <> ${keyId})`;
  }
}

/** Encrypts some rows after `after` again and skips locked ones. Returns where to continue; undefined at the end. */
export async function reencryptBatch(
  tx: Tx,
  place: EncryptedPlace,
  {
    keyId,
    after,
    reencrypt,
  }: { readonly keyId: number; readonly after: Place | undefined; readonly reencrypt: Reencrypt },
): Promise<{ readonly next: Place | undefined; readonly count: number }> {
  const key = sql.join(place.primaryKey.map((column) => sql.ref(column)));
  const columns = sql.join([...place.primaryKey, ...place.needs, place.column].map((column) => sql.ref(column)));
  const goOn = after ? sql`and (${key}) > (${sql.join(after)})` : sql``;
  const { rows } = await sql<TableRow>`
    select ${columns} from ${sql.table(place.table)} where ${isEncryptedOtherwise(place, keyId)} ${goOn}
    order by ${key} limit ${BATCH} for update skip locked`.execute(tx);
  for (const row of rows) {
    const value = place.reencrypted(row, reencrypt);
    const isThis = sql.join(
      place.primaryKey.map((column) => sql`${sql.ref(column)} = ${row[column]}`),
      sql` and `,
    );
    await sql`update ${sql.table(place.table)} set ${sql.ref(place.column)} = ${value} where ${isThis}`.execute(tx);
  }
  const last = rows.at(-1);
  const isEnd = rows.length < BATCH || !last;
  return { next: isEnd ? undefined : place.primaryKey.map((column) => last[column]), count: rows.length };
}

/**
 * `early`: some writers may not have read the new key yet. `in_use`: a value was encrypted with an old key in the
 * meantime.
 */
export type Retirement = 'early' | 'in_use' | 'gone';

/**
 * Deletes the data keys before `keyId`. A writer of an encrypted value locks its key (`hold_sealing_key` in `platform/keyring/migration.ts`): this waits for
 * running writers, and later ones are refused.
 */
export async function retireKeys(
  tx: Tx,
  places: readonly EncryptedPlace[],
  { keyId, afterMs }: { readonly keyId: number; readonly afterMs: number },
): Promise<Retirement> {
  const { rows } = await sql<{ is_early: boolean }>`
    select seals_from + ${afterMs}::int * interval '1 ms' > clock_timestamp() as is_early
    from data_keys where id = ${keyId}`.execute(tx);
  if (rows[0]?.is_early ?? true) return 'early';
  await sql`select from data_keys where id < ${keyId} for update`.execute(tx);
  for (const place of places) {
    const found = await sql`
      select from ${sql.table(place.table)} where ${isEncryptedOtherwise(place, keyId)} limit 1`.execute(tx);
    if (found.rows.length > 0) return 'in_use';
  }
  await tx.deleteFrom('data_keys').where('id', '<', keyId).execute();
  return 'gone';
}
