import type { Buffer } from 'node:buffer';
import type { GeoipFile, GeoipKind } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { RowOf } from '../../../platform/database/records.ts';

/** The owner of databases: a project or (null) the installation. The scope of `db` must show them. */
export interface GeoipPlace<D extends Db = Db> {
  readonly db: D;
  readonly project: string | null;
}

function select({ db, project }: GeoipPlace) {
  return db
    .selectFrom('geoip_databases')
    .where('project_id', 'is not distinct from', project)
    .select([
      'kind',
      'project_id',
      'size',
      'sha256',
      'database_type',
      'built_at',
      'source',
      'uploaded_at',
      'uploaded_by',
    ]);
}

function toFile(row: RowOf<typeof select>): GeoipFile {
  const { built_at, uploaded_at, project_id: project, ...rest } = row;
  return {
    ...rest,
    project,
    present: true,
    built_at: built_at.toISOString(),
    upload_date: uploaded_at.toISOString(),
  };
}

export async function listFiles(place: GeoipPlace): Promise<GeoipFile[]> {
  return (await select(place).execute()).map(toFile);
}

export async function findFile(place: GeoipPlace, kind: GeoipKind): Promise<GeoipFile | undefined> {
  const row = await select(place).where('kind', '=', kind).executeTakeFirst();
  return row && toFile(row);
}

/** Bytes per part of a file; only the last one may be shorter. */
export const PART_BYTES = 1024 * 1024;

export async function insertPart(
  { db, project }: GeoipPlace,
  at: { uploadId: string; part: number; begunAt: Date },
  data: Buffer,
): Promise<void> {
  await db
    .insertInto('geoip_chunks')
    .values({ project_id: project, upload_id: at.uploadId, part: at.part, data, begun_at: at.begunAt })
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

/** Replaces the previous file and deletes its parts. */
export async function placeFile(place: GeoipPlace<Tx>, file: NewFile): Promise<void> {
  await dropFile(place, file.kind);
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
  await place.db
    .insertInto('geoip_databases')
    .values({ project_id: place.project, kind: file.kind, ...values })
    .onConflict((conflict) => conflict.columns(['project_id', 'kind']).doUpdateSet(values))
    .execute();
}

export async function dropFile({ db, project }: GeoipPlace<Tx>, kind: GeoipKind): Promise<void> {
  const gone = await db
    .deleteFrom('geoip_databases')
    .where('project_id', 'is not distinct from', project)
    .where('kind', '=', kind)
    .returning('upload_id')
    .executeTakeFirst();
  if (gone) await dropParts(db, gone.upload_id);
}

export async function dropParts(db: Db, uploadId: string): Promise<void> {
  await db.deleteFrom('geoip_chunks').where('upload_id', '=', uploadId).execute();
}

/** Deletes parts of uploads that were interrupted with their controller. */
export async function dropAbandoned(db: Db, begunBefore: Date): Promise<void> {
  await db
    .deleteFrom('geoip_chunks')
    .where('begun_at', '<', begunBefore)
    .where('upload_id', 'not in', db.selectFrom('geoip_databases').select('upload_id'))
    .execute();
}
