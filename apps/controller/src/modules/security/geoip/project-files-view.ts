import type { GeoipKind } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { readPart } from './store.ts';

export interface GeoFile {
  readonly kind: GeoipKind;
  /** Changes with every new file. */
  readonly uploadId: string;
}

/** The databases that apply to a project: its own, or the installation's. The scope of `db` must show both. */
export async function findGeoFiles(db: Db, project: string): Promise<GeoFile[]> {
  const rows = await db
    .selectFrom('geoip_databases')
    .select(['kind', 'upload_id', 'project_id'])
    .where((eb) => eb.or([eb('project_id', '=', project), eb('project_id', 'is', null)]))
    .execute();
  const inherited = rows.filter(({ project_id }) => project_id === null);
  const own = rows.filter(({ project_id }) => project_id !== null);
  const files = new Map([...inherited, ...own].map(({ kind, upload_id }) => [kind, upload_id]));
  return Array.from(files, ([kind, uploadId]) => ({ kind, uploadId }));
}

/** The bytes of a file, in parts of at most 1 MiB; undefined behind the last one. */
export function readGeoPart(db: Db, uploadId: string, part: number): Promise<Buffer | undefined> {
  return readPart(db, uploadId, part);
}
