import type { Db, Tx } from '@flotilla/db';
import type { StoredDescriptors } from '@flotilla/envoy-api';

/** A version whose descriptors are stored. */
export interface PreparedVersion {
  readonly version: string;
  readonly sha256: string;
  readonly preparedAt: Date;
}

export interface NewDescriptors extends StoredDescriptors {
  readonly version: string;
  readonly arch: string;
  readonly source: string;
  readonly messages: number;
  readonly preparedBy: string;
}

/** Without the descriptors. */
export async function listPrepared(db: Db): Promise<PreparedVersion[]> {
  const rows = await db.selectFrom('proxy_descriptors').select(['version', 'sha256', 'prepared_at']).execute();
  return rows.map(({ version, sha256, prepared_at }) => ({ version, sha256, preparedAt: prepared_at }));
}

export async function findDigest(db: Db | Tx, version: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('proxy_descriptors')
    .select('sha256')
    .where('version', '=', version)
    .executeTakeFirst();
  return row?.sha256;
}

export async function findDescriptors(db: Db, version: string): Promise<StoredDescriptors | undefined> {
  const row = await db
    .selectFrom('proxy_descriptors')
    .select(['sha256', 'descriptors'])
    .where('version', '=', version)
    .executeTakeFirst();
  return row && { sha256: row.sha256, bytes: row.descriptors };
}

/** Replaces those of another binary of the version. */
export async function storeDescriptors(tx: Tx, given: NewDescriptors, now: Date): Promise<void> {
  const row = {
    sha256: given.sha256,
    arch: given.arch,
    source: given.source,
    messages: given.messages,
    descriptors: Buffer.from(given.bytes),
    prepared_at: now,
    prepared_by: given.preparedBy,
  };
  await tx
    .insertInto('proxy_descriptors')
    .values({ version: given.version, ...row })
    .onConflict((oc) => oc.column('version').doUpdateSet(row))
    .execute();
}
