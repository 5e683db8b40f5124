import type { Buffer } from 'node:buffer';
import type { GeoipFile, GeoipKind } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';

function select(db: Db) {
  return db
    .selectFrom('geoip_databases')
    .select(['kind', 'size', 'sha256', 'database_type', 'built_at', 'source', 'uploaded_at', 'uploaded_by']);
}

function toFile(row: Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>): GeoipFile {
  const { built_at, uploaded_at, ...rest } = row;
  return {
    ...rest,
    present: true,
    built_at: built_at.toISOString(),
    upload_date: uploaded_at.toISOString(),
  };
}

export async function listFiles(db: Db): Promise<GeoipFile[]> {
  return (await select(db).execute()).map(toFile);
}

export async function findFile(db: Db, kind: GeoipKind): Promise<GeoipFile | undefined> {
  const row = await select(db).where('kind', '=', kind).executeTakeFirst();
  return row && toFile(row);
}

/** Bytes of a part of a file; all but the last have as many. */
export const PART_BYTES = 1024 * 1024;

export async function insertPart(
  db: Db,
  at: { uploadId: string; part: number; begunAt: Date },
  data: Buffer,
): Promise<void> {
  await db
    .insertInto('geoip_chunks')
    .values({ upload_id: at.uploadId, part: at.part, data, begun_at: at.begunAt })
    .execute();
}

export async function readPart(db: Db, uploadId: string, part: number): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('geoip_chunks')
    .select('data')
    .where('upload_id', '=', uploadId)
    .where('part', '=', part)
    .executeTakeFirst();
  return row?.data;
}

interface NewFile {
  readonly kind: GeoipKind;
  readonly uploadId: string;
  readonly size: number;
  readonly sha256: string;
  readonly databaseType: string;
  readonly builtAt: Date;
  readonly source: 'upload' | 'download';
  readonly by: string;
  readonly at: Date;
}

/** The file in the place of the one before, whose parts are deleted. */
export async function placeFile(tx: Tx, file: NewFile): Promise<void> {
  await dropFile(tx, file.kind);
  const values = {
    upload_id: file.uploadId,
    size: file.size,
    sha256: file.sha256,
    database_type: file.databaseType,
    built_at: file.builtAt,
    source: file.source,
    uploaded_at: file.at,
    uploaded_by: file.by,
  };
  await tx
    .insertInto('geoip_databases')
    .values({ kind: file.kind, ...values })
    .onConflict((conflict) => conflict.column('kind').doUpdateSet(values))
    .execute();
}

export async function dropFile(tx: Tx, kind: GeoipKind): Promise<void> {
  const gone = await tx
    .deleteFrom('geoip_databases')
    .where('kind', '=', kind)
    .returning('upload_id')
    .executeTakeFirst();
  if (gone) await dropParts(tx, gone.upload_id);
}

export async function dropParts(db: Db, uploadId: string): Promise<void> {
  await db.deleteFrom('geoip_chunks').where('upload_id', '=', uploadId).execute();
}

/** Parts of uploads that ended with their controller. */
export async function dropAbandoned(db: Db, begunBefore: Date): Promise<void> {
  await db
    .deleteFrom('geoip_chunks')
    .where('begun_at', '<', begunBefore)
    .where('upload_id', 'not in', db.selectFrom('geoip_databases').select('upload_id'))
    .execute();
}
