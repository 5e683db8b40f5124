import type { Buffer } from 'node:buffer';
import {
  EVENT_EXPORTS_MAX,
  type EventExportSelection,
  type EventExportView,
  failEventExport,
  type ShownEventExportTarget,
} from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { Records, type RowOf, type SearchQuery } from '../../../platform/database/records.ts';
import { dropUnusedHead, lockHead } from './arrival-store.ts';
import { SECRET_PATHS } from './secrets.ts';

const EXPORTS = new Records<ExportRow, ExportRow>({
  kind: 'event export',
  table: 'event_exports',
  sortable: { name: sql`lower(event_exports.name)`, created_at: 'created_at', updated_at: 'updated_at' },
  defaultSort: 'name',
  searched: ['name'],
  toView: (row) => row,
});

function selectExports(db: Db, projectId: string) {
  return db
    .selectFrom('event_exports')
    .selectAll('event_exports')
    .select([
      sql<number>`coalesce((select h.total from event_export_heads h where h.project_id = event_exports.project_id), 0)
        - event_exports.total`.as('backlog'),
      sql<number>`coalesce(extract(epoch from clock_timestamp() - (
        select a.arrived_at from event_arrivals a where a.project_id = event_exports.project_id
          and a.position > event_exports.position order by a.position limit 1)), 0)::float8`.as('lag_s'),
    ])
    .where('event_exports.project_id', '=', projectId);
}

export type ExportRow = RowOf<typeof selectExports>;

export function toExportView(row: ExportRow): EventExportView {
  const updatedAt = row.secret_updated_at?.toISOString();
  return {
    id: row.id,
    project: row.project_id,
    name: row.name,
    enabled: row.enabled,
    target: row.target,
    selection: row.selection,
    private: row.sealed && updatedAt ? [{ path: SECRET_PATHS[row.target.kind], set: true, updated_at: updatedAt }] : [],
    state: stateOf(row),
    delivered_at: row.delivered_at?.toISOString() ?? null,
    failing_since: row.failing_since?.toISOString() ?? null,
    last_error: row.last_error,
    sent_events: row.sent_events,
    skipped_events: Math.max(0, row.total - row.total_at_start - row.sent_events - row.lost_events),
    backlog_events: Math.max(0, row.backlog),
    lag_s: Math.max(0, Math.round(row.lag_s * 10) / 10),
    lost_events: row.lost_events,
    lost_at: row.lost_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: row.updated_by,
    revision: row.revision,
  };
}

function stateOf({ enabled, failing_since, delivered_at }: ExportRow): EventExportView['state'] {
  if (!enabled) return 'off';
  if (failing_since) return 'failing';
  return delivered_at ? 'working' : 'unused';
}

export async function listExports(db: Db, projectId: string, query: SearchQuery) {
  const { items, ...page } = await EXPORTS.list(selectExports(db, projectId), query);
  return { ...page, items: items.map(toExportView) };
}

/** Throws record.not_found, also for an export of another project. */
export const findExport = (db: Db, projectId: string, id: string) => EXPORTS.find(selectExports(db, projectId), id);

/** Like `findExport`, with a lock until the transaction ends. */
export const lockExport = (tx: Tx, projectId: string, id: string) => EXPORTS.lock(selectExports(tx, projectId), id);

export interface ExportWrite {
  readonly name: string;
  readonly enabled: boolean;
  readonly target: ShownEventExportTarget;
  readonly selection: EventExportSelection;
  readonly sealed: Buffer | null;
  readonly secret_updated_at: Date | null;
}

interface Writing {
  readonly id: string;
  readonly now: Date;
  readonly by: string;
}

const toColumns = ({ target, selection, ...values }: ExportWrite) => ({
  ...values,
  target: JSON.stringify(target),
  selection: JSON.stringify(selection),
});

/** The export begins with the next event that arrives. Throws record.exists and event_export.too_many. */
export async function insertExport(
  tx: Tx,
  { id, projectId, now, by }: Writing & { readonly projectId: string },
  values: ExportWrite,
): Promise<void> {
  const { position, total } = await lockHead(tx, projectId);
  const counted = tx.selectFrom('event_exports').select(sql<number>`count(*)::int`.as('count'));
  const { count } = await counted.where('project_id', '=', projectId).executeTakeFirstOrThrow();
  if (count >= EVENT_EXPORTS_MAX) throw failEventExport('event_export.too_many', { max: EVENT_EXPORTS_MAX });
  const place = { position, total, total_at_start: total, cursor: null, last_error: null, holder: null };
  await EXPORTS.refuseSameName(values.name, () =>
    tx
      .insertInto('event_exports')
      .values({
        id,
        project_id: projectId,
        ...toColumns(values),
        ...place,
        created_at: now,
        updated_at: now,
        updated_by: by,
      })
      .execute(),
  );
}

/** A changed export is tried again at once, and keeps its place. */
export async function updateExport(tx: Tx, { id, now, by }: Writing, values: ExportWrite): Promise<void> {
  await EXPORTS.refuseSameName(values.name, () =>
    tx
      .updateTable('event_exports')
      .set((eb) => ({
        ...toColumns(values),
        updated_at: now,
        updated_by: by,
        failures: 0,
        retry_at: null,
        revision: eb('revision', '+', 1),
      }))
      .where('id', '=', id)
      .execute(),
  );
}

export async function deleteExport(tx: Tx, { id, project_id }: Pick<ExportRow, 'id' | 'project_id'>): Promise<void> {
  await tx.deleteFrom('event_exports').where('id', '=', id).execute();
  await dropUnusedHead(tx, project_id);
}
