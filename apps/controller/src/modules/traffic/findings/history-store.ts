import type { FindingEntry } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import type { ListQuery } from '../../../platform/database/paging.ts';
import { type RowOf, Rows } from '../../../platform/database/records.ts';

export interface NewEntry {
  readonly finding_id: string;
  readonly kind: FindingEntry['kind'];
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
  readonly note?: string | null | undefined;
}

export async function insertHistory(
  tx: Tx,
  {
    projectId,
    now,
    entries,
    by = null,
  }: {
    readonly projectId: string;
    readonly now: Date;
    readonly entries: readonly NewEntry[];
    /** Null: the traffic, or the passing of time. */
    readonly by?: string | null;
  },
): Promise<void> {
  if (entries.length === 0) return;
  await sql`
    insert into inventory_finding_history (id, project_id, finding_id, at, kind, from_value, to_value, by_name, note)
    select time_uuid(), ${projectId}, finding_id, ${now}, kind, "from", "to", ${by}, note
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
      as e(finding_id uuid, kind text, "from" text, "to" text, note text)`.execute(tx);
}

/** Notifies the people who look at findings of the project. */
export async function announceFindings(tx: Tx, projectId: string): Promise<void> {
  await sql`select announce_change(${projectId}, '{"topic":"finding"}')`.execute(tx);
}

function selectEntries(db: Db, projectId: string, findingId: string) {
  return db
    .selectFrom('inventory_finding_history as h')
    .selectAll('h')
    .where('h.project_id', '=', projectId)
    .where('h.finding_id', '=', findingId);
}

type EntryRow = RowOf<typeof selectEntries>;

export function toEntry({ id, at, kind, from_value, to_value, by_name, note }: EntryRow): FindingEntry {
  return { id, at: at.toISOString(), kind, from: from_value, to: to_value, by: by_name, note };
}

const ENTRIES = new Rows<EntryRow, FindingEntry>({
  sortable: { at: 'h.at' },
  defaultSort: '-at',
  id: 'h.id',
  toView: toEntry,
});

export const listHistory = (db: Db, projectId: string, findingId: string, page: ListQuery) =>
  ENTRIES.list(selectEntries(db, projectId, findingId), page);

export async function countHistory(db: Db, findingId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from inventory_finding_history where finding_id = ${findingId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Adds a comment and returns it. */
export async function insertComment(
  tx: Tx,
  comment: {
    readonly id: string;
    readonly projectId: string;
    readonly findingId: string;
    readonly now: Date;
    readonly by: string;
    readonly text: string;
  },
): Promise<FindingEntry> {
  const { id, projectId, findingId, now, by, text } = comment;
  const row = await tx
    .insertInto('inventory_finding_history')
    .values({
      id,
      project_id: projectId,
      finding_id: findingId,
      at: now,
      kind: 'comment',
      from_value: null,
      to_value: null,
      by_name: by,
      note: text,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toEntry(row);
}
