import type { TrafficGap } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { refuseField, type Window } from './window.ts';

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const CURSOR = new RegExp(`^(\\d{1,15})\\.(${ID})\\.(${ID})$`);
const LIMIT_DEFAULT = 50;

interface GapQuery {
  readonly window: Window;
  readonly service_id?: readonly string[] | undefined;
  readonly client_id?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Only gaps of services that `db` shows, and so none of deleted ones. */
  readonly isRestricted?: boolean;
}

interface GapRow {
  readonly minute: Date;
  readonly service_id: string;
  readonly service_name: string | null;
  readonly client_id: string;
  readonly client_name: string | null;
  readonly batches: number;
}

/** The minutes in which batches of events were missing, newest first. */
export async function listGaps(db: Db, projectId: string, query: GapQuery) {
  const { from, to } = query.window;
  const { limit = LIMIT_DEFAULT } = query;
  const { rows } = await sql<GapRow>`
    select gaps.minute, gaps.service_id, gaps.client_id, gaps.batches::int as batches,
      services.name as service_name, clients.name as client_name
    from inventory_gaps gaps left join services on services.id = gaps.service_id
      left join clients on clients.id = gaps.client_id
    where gaps.project_id = ${projectId} and gaps.minute >= ${new Date(from)} and gaps.minute < ${new Date(to)}
      and ${isAmong('service_id', query.service_id)} and ${isAmong('client_id', query.client_id)}
      and ${isAfter(query.cursor)} and (${query.isRestricted !== true} or services.id is not null)
    order by gaps.minute desc, gaps.service_id desc, gaps.client_id desc limit ${limit + 1}`.execute(db);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(({ minute, ...row }): TrafficGap => ({ ...row, at: minute.toISOString() })),
    next_cursor: last === undefined ? null : `${last.minute.getTime()}.${last.service_id}.${last.client_id}`,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  };
}

function isAmong(column: 'service_id' | 'client_id', ids: readonly string[] | undefined): RawBuilder<SqlBool> {
  return ids === undefined ? sql`true` : sql`${sql.ref(`gaps.${column}`)} = any(${[...ids]}::uuid[])`;
}

function isAfter(cursor: string | undefined): RawBuilder<SqlBool> {
  if (cursor === undefined) return sql`true`;
  const [, minute, service, client] = CURSOR.exec(cursor) ?? [];
  if (minute === undefined) throw refuseField('cursor', 'must be the next_cursor of the previous page');
  return sql`(gaps.minute, gaps.service_id, gaps.client_id) < (${new Date(Number(minute))}, ${service}::uuid, ${client}::uuid)`;
}
