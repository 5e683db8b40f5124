import { Buffer } from 'node:buffer';
import type { BackupView } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { Insertable, Selectable } from 'kysely';
import type { ListQuery } from '../../../platform/database/paging.ts';
import { Records } from '../../../platform/database/records.ts';
import { fingerprintOf, type Header, type Manifest } from './format/index.ts';
import type { BackupsTable, RestoreTest } from './tables.ts';

export type BackupRecord = Selectable<BackupsTable>;

/** Names a backup in the audit log: by its description, or by its creation time. */
export function nameBackup({ description, created_at }: Pick<BackupRecord, 'description' | 'created_at'>): string {
  return description || `of ${created_at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Selects the backups of a project; null: of the installation, whose rows have no project. */
function selectBackups(db: Db | Tx, project: string | null) {
  const select = db.selectFrom('backups');
  return project === null ? select.where('project_id', 'is', null) : select.where('project_id', '=', project);
}

const BACKUPS = new Records<BackupRecord, BackupRecord>({
  kind: 'backup',
  table: 'backups',
  sortable: { created_at: 'backups.created_at' },
  defaultSort: '-created_at',
  toView: (row) => row,
});

export const listBackups = (db: Db, project: string | null, query: ListQuery) =>
  BACKUPS.list(selectBackups(db, project).selectAll(), query);

/** Throws `record.not_found` for a backup of another project, as for an unknown one. */
export const findBackup = (db: Db | Tx, project: string | null, id: string) =>
  BACKUPS.find(selectBackups(db, project).selectAll(), id);

export async function insertBackup(tx: Tx, row: Insertable<BackupsTable>): Promise<BackupRecord> {
  return tx.insertInto('backups').values(row).returningAll().executeTakeFirstOrThrow();
}

export interface WrittenFile {
  readonly header: Header;
  readonly manifest: Manifest;
  readonly bytes: number;
  readonly sha256: string;
}

/** Marks a backup whose file was written and verified. Returns false if the record was deleted meanwhile. */
export async function markReady(tx: Db | Tx, id: string, file: WrittenFile, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('backups')
    .set({
      status: 'ready',
      bytes: file.bytes,
      sha256: file.sha256,
      header: JSON.stringify(file.header),
      sections: JSON.stringify(file.manifest.sections),
      verified_at: now,
    })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function markFailed(tx: Db | Tx, id: string): Promise<void> {
  await tx.updateTable('backups').set({ status: 'failed' }).where('id', '=', id).execute();
}

export async function markVerified(
  tx: Tx,
  id: string,
  { sections, now }: { readonly sections: Manifest['sections']; readonly now: Date },
): Promise<void> {
  await tx
    .updateTable('backups')
    .set({ sections: JSON.stringify(sections), verified_at: now })
    .where('id', '=', id)
    .execute();
}

export async function markTested(tx: Tx, id: string, test: RestoreTest): Promise<void> {
  await tx
    .updateTable('backups')
    .set({ restore_test: JSON.stringify(test) })
    .where('id', '=', id)
    .execute();
}

export async function deleteBackup(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('backups').where('id', '=', id).execute();
}

export async function countUploads(db: Db | Tx, project: string | null): Promise<number> {
  const { count } = await selectBackups(db, project)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('origin', '=', 'uploaded')
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function isFileKnown(db: Db, file: string): Promise<boolean> {
  return (await db.selectFrom('backups').select('id').where('file', '=', file).executeTakeFirst()) !== undefined;
}

/**
 * Returns the time at which this database was created: that of its first data key, because backups do not contain data keys.
 * Returns the latest possible date if there is no key.
 */
export async function findDatabaseStart(db: Db): Promise<Date> {
  const row = await db.selectFrom('data_keys').select('created_at').orderBy('id').limit(1).executeTakeFirst();
  return row?.created_at ?? new Date(8.64e15);
}

/** Returns backups of one origin that are older than `before`, but never the newest one. */
export async function listOlder(
  db: Db,
  project: string | null,
  { origin, before }: { readonly origin: BackupsTable['origin']; readonly before: Date },
): Promise<BackupRecord[]> {
  const rows = await listBeyond(db, project, { origin, keep: 1 });
  return rows.filter(({ created_at }) => created_at < before);
}

/** Returns all backups of one origin except the newest `keep`. */
export async function listBeyond(
  db: Db,
  project: string | null,
  { origin, keep }: { readonly origin: BackupsTable['origin']; readonly keep: number },
): Promise<BackupRecord[]> {
  return selectBackups(db, project)
    .selectAll()
    .where('origin', '=', origin)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(keep)
    .execute();
}

export function toView(row: BackupRecord, own: string): BackupView {
  const header = row.header as Header | null;
  const signer = header && fingerprintOf(Buffer.from(header.public_key, 'base64'));
  return {
    id: row.id,
    project: row.project_id,
    origin: row.origin,
    status: row.status,
    description: row.description,
    secret_free: row.secret_free,
    protection: row.protection,
    bytes: row.bytes,
    sha256: row.sha256,
    created_at: row.created_at.toISOString(),
    created_by: row.created_by,
    verified_at: row.verified_at?.toISOString() ?? null,
    restore_test: row.restore_test,
    content:
      header === null || signer === null
        ? null
        : {
            kind: header.kind,
            app_version: header.app_version,
            made_at: header.created_at,
            project: header.project,
            signer,
            own: signer === own,
          },
    sections: row.sections ?? [],
  };
}
