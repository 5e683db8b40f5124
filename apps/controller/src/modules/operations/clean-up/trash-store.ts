import { CLEAN_UP_KEPT_DAYS, type CleanedVersion, type CleanUpPreview } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { ListQuery } from '../../../platform/database/paging.ts';
import { Records } from '../../../platform/database/records.ts';
import { type DocumentRow, discardDocuments, type Scope } from '../../configuration/public.ts';
import type { CleanedVersionsTable } from './tables.ts';

/** One clean-up, whose documents can be restored. */
type CleanedRecord = Selectable<CleanedVersionsTable>;

const DAY_MS = 86_400_000;
const CHUNK = 500;

interface Trashing {
  readonly preview: CleanUpPreview;
  readonly ids: readonly string[];
  readonly restorePoint: string | null;
  readonly now: Date;
  readonly by: string;
}

/** Moves documents and their revisions to the trash unchanged, and deletes their names and references. */
export async function moveToTrash(
  tx: Tx,
  scope: Scope,
  { preview, ids, restorePoint, now, by }: Trashing,
): Promise<CleanedRecord> {
  const cleaned = await tx
    .insertInto('cleaned_versions')
    .values({
      id: createId(now.getTime()),
      project_id: scope.project,
      version: scope.version,
      mode: preview.mode,
      counts: JSON.stringify(preview.counts),
      restore_point: restorePoint,
      cleaned_at: now,
      cleaned_by: by,
      kept_until: new Date(now.getTime() + CLEAN_UP_KEPT_DAYS * DAY_MS),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  for (let i = 0; i < ids.length; i += CHUNK) {
    const chunk = ids.slice(i, i + CHUNK);
    await sql`insert into cleaned_documents (clean_up_id, project_id, document_id, collection, name, content, sealed)
      select ${cleaned.id}, one.project_id, one.id, one.collection, one.name,
        row_to_json(json_populate_record(one, '{"sealed": null}')), one.sealed
      from documents one where one.id = any(${chunk}::uuid[])`.execute(tx);
    await sql`insert into cleaned_revisions (document_id, project_id, revision, content, sealed)
      select one.document_id, ${scope.project}, one.revision,
        row_to_json(json_populate_record(one, '{"sealed": null}')), one.sealed
      from document_revisions one where one.document_id = any(${chunk}::uuid[])`.execute(tx);
    await discardDocuments(tx, chunk);
  }
  return cleaned;
}

/** Restores the rows and empties the clean-up. Names and references are not restored here. */
export async function restoreFromTrash(tx: Tx, cleaned: CleanedRecord): Promise<DocumentRow[]> {
  const kept = sql`cleaned_documents kept where kept.clean_up_id = ${cleaned.id}`;
  await putBack(tx, 'documents', kept);
  const revisions = sql`cleaned_revisions kept join cleaned_documents of using (document_id)
    where of.clean_up_id = ${cleaned.id}`;
  await putBack(tx, 'document_revisions', revisions);
  const rows = await tx
    .selectFrom('documents')
    .selectAll()
    .where('id', 'in', (select) =>
      select.selectFrom('cleaned_documents').select('document_id').where('clean_up_id', '=', cleaned.id),
    )
    .orderBy('collection')
    .orderBy('name')
    .execute();
  await purgeCleaned(tx, cleaned.id);
  return rows;
}

/** Columns added since get their defaults; columns removed since are left out. */
async function putBack(tx: Tx, table: 'documents' | 'document_revisions', kept: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
      and attname in (select json_object_keys(one.content) from (select kept.content from ${kept} limit 1) one)
    order by attnum`.execute(tx);
  if (rows.length === 0) return;
  const columns = sql.join(rows.map(({ name }) => sql.ref(name)));
  const values = sql.join(rows.map(({ name }) => sql.ref(`whole.${name}`)));
  const row = sql`null::${sql.table(table)}`;
  await sql`insert into ${sql.table(table)} (${columns})
    select ${values} from (select kept.content, kept.sealed from ${kept}) one,
      json_populate_record(json_populate_record(${row}, one.content), json_build_object('sealed', one.sealed)) whole`.execute(
    tx,
  );
}

/** The first document whose name is taken by now. */
export async function findTakenName(tx: Tx, cleaned: CleanedRecord) {
  return tx
    .selectFrom('cleaned_documents as kept')
    .innerJoin('documents as d', (join) =>
      join
        .onRef('d.project_id', '=', 'kept.project_id')
        .onRef('d.collection', '=', 'kept.collection')
        .onRef('d.name', '=', 'kept.name')
        .on('d.version', '=', cleaned.version),
    )
    .select(['kept.collection', 'kept.name'])
    .where('kept.clean_up_id', '=', cleaned.id)
    .orderBy('kept.collection')
    .orderBy('kept.name')
    .executeTakeFirst();
}

const CLEANED = new Records<CleanedRecord, CleanedRecord>({
  kind: 'clean-up',
  table: 'cleaned_versions',
  sortable: { cleaned_at: 'cleaned_at' },
  defaultSort: '-cleaned_at',
  toView: (row) => row,
});

/** `now` excludes what has expired but was not deleted yet. */
export const listCleaned = (db: Db, project: string, query: ListQuery, now: Date) =>
  CLEANED.list(selectCleaned(db, project, now), query);

/**
 * Locks until the transaction ends. Throws record.not_found if it belongs to another project, was deleted or has
 * expired.
 */
export const lockCleaned = (tx: Tx, project: string, id: string, now: Date) =>
  CLEANED.lock(selectCleaned(tx, project, now), id);

function selectCleaned(db: Db | Tx, project: string, now: Date) {
  return db.selectFrom('cleaned_versions').selectAll().where('project_id', '=', project).where('kept_until', '>', now);
}

/** Also deletes its documents and their revisions. */
export async function purgeCleaned(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('cleaned_versions').where('id', '=', id).execute();
}

/** Deletes expired clean-ups. */
export async function forgetCleaned(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('cleaned_versions').where('kept_until', '<=', now).execute();
}

export function toCleanedView(row: CleanedRecord): CleanedVersion {
  return {
    id: row.id,
    version: row.version,
    mode: row.mode,
    counts: row.counts,
    total: countAll(row.counts),
    cleaned_at: row.cleaned_at.toISOString(),
    cleaned_by: row.cleaned_by,
    kept_until: row.kept_until.toISOString(),
    restore_point: row.restore_point,
  };
}

export function countAll(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
