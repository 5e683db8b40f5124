import type { KeysView } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { takeLock } from '../database/named-lock.ts';
import { type Derivation, derivationSchema } from './master-key.ts';

export interface StoredDataKey {
  readonly id: number;
  readonly created_at: Date;
  /** By the database's clock. The newest key that is ready encrypts new values. */
  readonly is_ready: boolean;
}

export interface StoredMasterKey {
  readonly id: string;
  readonly derivation: Derivation | undefined;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly is_over: boolean;
  readonly sealed_key: Buffer | null;
  readonly is_handed_over: boolean;
}

export interface StoredWrap {
  readonly key_id: number;
  readonly master_id: string;
  readonly wrapped: Buffer;
}

export interface StoredKeys {
  /** Ordered by id. */
  readonly keys: readonly StoredDataKey[];
  /** Newest first. */
  readonly masters: readonly StoredMasterKey[];
  readonly wraps: readonly StoredWrap[];
}

/** Held by every transaction that creates or changes keys. */
export async function lockKeys(tx: Tx): Promise<void> {
  await takeLock(tx, 'keys');
}

export async function readKeys(db: Db | Tx): Promise<StoredKeys> {
  const keys = await db
    .selectFrom('data_keys')
    .select(['id', 'created_at', sql<boolean>`seals_from <= clock_timestamp()`.as('is_ready')])
    .orderBy('id')
    .execute();
  const masters = await db
    .selectFrom('master_keys')
    .select(['id', 'derivation', 'created_at', 'expires_at', 'sealed_key'])
    .select([
      sql<boolean>`coalesce(expires_at <= clock_timestamp(), false)`.as('is_over'),
      sql<boolean>`coalesce(hand_over_until <= clock_timestamp(), false)`.as('is_handed_over'),
    ])
    .orderBy('created_at', 'desc')
    .orderBy(sql`expires_at nulls first`)
    .execute();
  const wraps = await db.selectFrom('data_key_wraps').selectAll().execute();
  return {
    keys,
    masters: masters.map((row) => ({
      ...row,
      derivation: row.derivation === null ? undefined : derivationSchema.parse(row.derivation),
    })),
    wraps,
  };
}

export async function insertDataKey(tx: Tx, id: number, usedAfterMs: number): Promise<void> {
  await tx
    .insertInto('data_keys')
    .values({
      id,
      created_at: sql<Date>`clock_timestamp()`,
      seals_from: sql<Date>`clock_timestamp() + ${usedAfterMs}::int * interval '1 ms'`,
    })
    .execute();
}

export interface NewMasterKey {
  readonly id: string;
  readonly derivation: Derivation | undefined;
  /** Wrapped data keys by id. */
  readonly wraps: ReadonlyMap<number, Buffer>;
  readonly sealed?: { readonly key: Buffer; readonly forS: number };
}

/** Stores the master key in use from now on. The previous ones must already have an expiry. */
export async function insertMasterKey(tx: Tx, { id, derivation, wraps, sealed }: NewMasterKey): Promise<void> {
  await tx
    .insertInto('master_keys')
    .values({
      id,
      derivation: derivation ? JSON.stringify(derivation) : null,
      created_at: sql<Date>`clock_timestamp()`,
      expires_at: null,
      sealed_key: sealed?.key ?? null,
      hand_over_until: sealed ? sql<Date>`clock_timestamp() + ${sealed.forS}::int * interval '1 s'` : null,
    })
    .execute();
  for (const [keyId, wrapped] of wraps) await insertWrap(tx, { key_id: keyId, master_id: id, wrapped });
}

export async function insertWrap(tx: Tx, wrap: StoredWrap): Promise<void> {
  await tx.insertInto('data_key_wraps').values(wrap).execute();
}

/** Lets the previous master keys expire after `overlapS` seconds; 0 deletes them. */
export async function endMasterKeys(tx: Tx, overlapS: number): Promise<void> {
  if (overlapS === 0) {
    await tx.deleteFrom('master_keys').execute();
    return;
  }
  const until = sql<Date>`clock_timestamp() + ${overlapS}::int * interval '1 s'`;
  await tx.updateTable('master_keys').set({ expires_at: until }).where('expires_at', 'is', null).execute();
}

/** Deletes expired master keys and the expired hand-over of the current one. */
export async function forgetOldMasters(db: Db): Promise<void> {
  await db.deleteFrom('master_keys').where('expires_at', '<=', sql<Date>`clock_timestamp()`).execute();
  await db
    .updateTable('master_keys')
    .set({ sealed_key: null, hand_over_until: null })
    .where('hand_over_until', '<=', sql<Date>`clock_timestamp()`)
    .execute();
}

export async function replaceWraps(
  tx: Tx,
  masterId: string,
  derivation: Derivation | undefined,
  wraps: ReadonlyMap<number, Buffer>,
): Promise<void> {
  await tx
    .updateTable('master_keys')
    .set({ derivation: derivation ? JSON.stringify(derivation) : null })
    .where('id', '=', masterId)
    .execute();
  for (const [keyId, wrapped] of wraps)
    await tx
      .updateTable('data_key_wraps')
      .set({ wrapped })
      .where('key_id', '=', keyId)
      .where('master_id', '=', masterId)
      .execute();
}

export async function describeKeys(db: Db): Promise<Pick<KeysView, 'data_keys' | 'master_keys'>> {
  const { keys, masters } = await readKeys(db);
  const sealing = keys.findLast(({ is_ready }) => is_ready)?.id ?? 0;
  const stateOf = (id: number) => (id > sealing ? 'coming' : id === sealing ? 'sealing' : 'leaving');
  return {
    data_keys: keys.map(({ id, created_at }) => ({ id, created_at: created_at.toISOString(), state: stateOf(id) })),
    master_keys: masters
      .filter(({ is_over }) => !is_over)
      .map(({ created_at, expires_at }) => ({
        created_at: created_at.toISOString(),
        expires_at: expires_at?.toISOString() ?? null,
      })),
  };
}
